package undo_test

import (
	"flag"
	"os"
	"testing"
)

// TestMain takes few random walks, unless a person or POLLUX_LONG asks for more.
func TestMain(m *testing.M) {
	if dir := os.Getenv(killedIn); dir != "" {
		dieIn(dir)
	}
	if dir := os.Getenv(stepsIn); dir != "" {
		takeSteps(dir)
	}
	flag.Parse()
	if os.Getenv("POLLUX_LONG") == "" && !isSet("rapid.checks") {
		_ = flag.Set("rapid.checks", "15")
	}
	os.Exit(m.Run())
}

func isSet(name string) (found bool) {
	flag.Visit(func(f *flag.Flag) { found = found || f.Name == name })
	return found
}
