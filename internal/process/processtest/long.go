package processtest

import "os"

// IsLong reports whether POLLUX_LONG is 1, as make long and .ci/run set it. A plain run of the tests meets each
// promise at least once, and takes a minute or two. Behind IsLong belong the tests that take longer: all
// combinations of faces, modes, forms and protocols in place of a selection in which each of them occurs, loads
// of many megabytes, sessions of hundreds of turns, and random input by the thousand.
func IsLong() bool { return os.Getenv("POLLUX_LONG") == "1" }
