module gatehouse/test/real/knative

go 1.25.0

require (
	github.com/cert-manager/cert-manager v1.20.3
	knative.dev/serving v0.50.0
)
