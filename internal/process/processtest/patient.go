package processtest

import (
	"flag"
	"strconv"
	"testing"
)

// Patient runs the tests of a package that mostly wait: for the time to try again, or for a terminal. It runs Tests
// of them at a time, even with fewer processors, unless the command line has -parallel.
type Patient struct {
	*testing.M
	Tests int
}

// Run runs the tests and returns the exit status.
func (p Patient) Run() int {
	flag.Parse()
	isGiven := false
	flag.Visit(func(f *flag.Flag) { isGiven = isGiven || f.Name == "test.parallel" })
	if !isGiven {
		_ = flag.Set("test.parallel", strconv.Itoa(p.Tests)) // any number is valid
	}
	return p.M.Run()
}
