package processtest

import (
	"fmt"
	"hash/fnv"
	"os"
)

// part names the variable that selects a part of the tests, see [InPart].
const part = "POLLUX_PART"

// InPart reports whether a test belongs to the part of the tests that POLLUX_PART selects: 2/6 is the second of six parts, into which the names of
// tests are divided. All belong to it if the variable is not set. .ci/run sets it for tests that the test step runs whole, and that take long with the
// race detector: each commit runs one part.
func InPart(name string) bool { return InPartOf(part, name) }

// InPartOf reports whether a test belongs to the part of the tests that a variable selects, see [InPart]. All belong to it if the variable is not set or is 1.
func InPartOf(variable, name string) bool {
	part, parts := partOf(variable)
	h := fnv.New32a()
	_, _ = h.Write([]byte(name)) // never fails
	return h.Sum32()%parts == part-1
}

// partOf returns the part of the tests that a variable selects, from 1, and of how many: 1 of 1 if it is not set or is 1. It panics if the value is no part.
func partOf(variable string) (part, parts uint32) {
	text := os.Getenv(variable)
	if text == "" || text == "1" {
		return 1, 1
	}
	if n, err := fmt.Sscanf(text, "%d/%d", &part, &parts); n != 2 || err != nil || part < 1 || part > parts {
		panic(variable + " is " + text + ", not a part of the tests, such as 2/6")
	}
	return part, parts
}
