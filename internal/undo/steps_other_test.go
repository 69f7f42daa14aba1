//go:build !linux

package undo_test

// stepsIn is the variable with the directory of a test process that is killed at a step, which none is here.
const stepsIn = "POLLUX_TEST_STEPS_IN"

func takeSteps(string) {}

// asideIn is the variable with the workspace of a test process that kills itself, which none does here.
const (
	asideIn  = "POLLUX_TEST_ASIDE_IN"
	asideLog = "POLLUX_TEST_ASIDE_LOG"
)

func dieAside(string, string) {}
