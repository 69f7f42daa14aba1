//go:build !linux

package undo_test

// stepsIn is the variable with the directory of a test process that is killed at a step, which none is here.
const stepsIn = "POLLUX_TEST_STEPS_IN"

func takeSteps(string) {}
