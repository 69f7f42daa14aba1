package processtest

import (
	"flag"
	"os"
)

// long names the variable that makes runs of the tests long. It is 1 for all that long runs have, or a part of that, such as 2/4;
// 0 is as without it.
const long = "POLLUX_LONG"

// IsLong reports whether POLLUX_LONG is set, as make long and .ci/run set it. Behind IsLong belong the tests that take
// minutes: all combinations of faces, modes, forms and protocols in place of a selection in which each of them occurs, loads
// of many megabytes, sessions of hundreds of turns, and random input by the thousand. Of combinations and of random
// input, [InLong] and [Times] leave a part to each commit. Of scripts that are short alone and take minutes together, a plain
// run has a part, see [InPlain].
func IsLong() bool { return os.Getenv(long) != "" && os.Getenv(long) != "0" }

// InLong reports whether this run has a case that only long runs have: all of them if POLLUX_LONG is 1, and if it is
// 2/4, the second of four parts, into which the names of cases are divided.
func InLong(name string) bool { return IsLong() && InPartOf(long, name) }

// Times returns how often this run tries something at random: plain times, or many times if POLLUX_LONG is 1. If that is
// 2/4, it is a quarter of many.
func Times(plain, many int) int {
	if !IsLong() {
		return plain
	}
	_, parts := partOf(long)
	return max(plain, many/int(parts))
}

// InPlain reports whether this run has the case with an index in a list of cases that take minutes together. A plain run has
// one in so many of them. A run has all if POLLUX_LONG is set, POLLUX_PART, or a flag that says which tests it has.
func InPlain(index, every int) bool {
	return index%every == 0 || IsLong() || os.Getenv(part) != "" || flag.Lookup("test.run").Value.String() != ""
}
