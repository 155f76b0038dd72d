module example.com/shop

go 1.24

require (
	github.com/acme/alpha v1.2.0
	github.com/acme/beta master // indirect
	golang.org/x/net v0.30.0//indirect
)
replace golang.org/x/net => ../net
