//go:build !unix

package undo_test

// killedIn is the variable with the directory of a test process that kills itself, which none does here.
const killedIn = "POLLUX_TEST_KILLED_IN"

func dieIn(string) {}
