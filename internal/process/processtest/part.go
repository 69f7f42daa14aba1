package processtest

import (
	"fmt"
	"hash/fnv"
	"os"
)

// InPart reports whether a test belongs to the part of the tests that POLLUX_PART selects: 2/6 is the second of six parts, into which the names of
// tests are divided. All belong to it if the variable is not set. .ci/run sets it for tests that the test step runs whole, and that take long with the
// race detector: each commit runs one part.
func InPart(name string) bool { return InPartOf("POLLUX_PART", name) }

// InPartOf reports whether a test belongs to the part of the tests that a variable selects, see [InPart]. All belong to it if the variable is not set or is 1.
func InPartOf(variable, name string) bool {
	text := os.Getenv(variable)
	if text == "" || text == "1" {
		return true
	}
	var part, parts uint32
	if n, err := fmt.Sscanf(text, "%d/%d", &part, &parts); n != 2 || err != nil || part < 1 || part > parts {
		panic(variable + " is " + text + ", not a part of the tests, such as 2/6")
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(name)) // never fails
	return h.Sum32()%parts == part-1
}
