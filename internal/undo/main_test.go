package undo_test

import (
	"flag"
	"fmt"
	"os"
	"strconv"
	"testing"

	"pollux/internal/process/processtest"
)

// TestMain takes few random walks, unless a person or POLLUX_LONG asks for more.
func TestMain(m *testing.M) {
	if dir := os.Getenv(killedIn); dir != "" {
		dieIn(dir)
	}
	if dir := os.Getenv(asideIn); dir != "" {
		dieAside(dir, os.Getenv(asideLog))
	}
	if dir := os.Getenv(workIn); dir != "" {
		if err := work(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if dir := os.Getenv(stepsIn); dir != "" {
		takeSteps(dir)
	}
	flag.Parse()
	if !isSet("rapid.checks") {
		_ = flag.Set("rapid.checks", strconv.Itoa(processtest.Times(10, 320)))
	}
	os.Exit(m.Run())
}

func isSet(name string) (found bool) {
	flag.Visit(func(f *flag.Flag) { found = found || f.Name == name })
	return found
}
