module example.org/ours

go 1.23

require (
	github.com/Gorilla/mux v1.8.1 // indirect
	github.com/aws/aws-sdk-go-v2/service/s3 v1.2.3
	golang.org/x/net v0.30.0
)
require k8s.io/api v0.31.0
exclude golang.org/x/net v0.29.0
exclude (
	golang.org/x/text v0.1.0
)
replace k8s.io/api => ../api
