package processtest

import (
	"flag"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"testing"
)

// Patient runs the tests of a package that mostly wait: for the time to try again, or for a terminal. It runs Tests
// of them at a time, even with fewer processors, unless the command line has -parallel. The programs that they start
// end at SIGINT and SIGHUP also if the tests were started with these ignored, as nohup does.
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
	for _, s := range []os.Signal{syscall.SIGINT, syscall.SIGHUP} {
		if signal.Ignored(s) {
			signal.Notify(make(chan os.Signal, 1), s) // children inherit what is ignored, not what is caught
		}
	}
	return p.M.Run()
}
