// A registry in memory that has the referrers API, on loopback over TLS: registry CERTIFICATE KEY.
package main

import (
	"fmt"
	"log"
	"net"
	"net/http"
	"os"

	"github.com/google/go-containerregistry/pkg/registry"
)

func main() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("listening on %s\n", listener.Addr())
	handler := registry.New(registry.WithReferrersSupport(true))
	log.Fatal(http.ServeTLS(listener, handler, os.Args[1], os.Args[2]))
}
