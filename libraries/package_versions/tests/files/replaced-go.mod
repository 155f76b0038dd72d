module example.org/ours
require (
	github.com/acme/tool v1.2.0
	example.org/forked v1.0.0
	example.org/pinned v1.0.0
	example.org/other v1.1.0
	"example.org/local" v0.1.0
	example.org/bad v1.3.0
)
exclude example.org/bad v1.3.0
replace (
	example.org/forked => github.com/acme/fork v1.0.1
	example.org/pinned v1.0.0 => example.org/pinned v1.0.9
	example.org/other v1.0.0 => example.org/elsewhere v9.0.0
	example.org/local v0.1.0 => ./local // ours
)
retract v1.9.0
retract (
	v1.0.0
)
