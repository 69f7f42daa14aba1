package cost

import (
	"testing"

	"pollux/bench/seat"
)

// terminalSession counts the output of a session at a terminal.
func terminalSession(t *testing.T, program string) counts {
	t.Helper()
	c, err := seat.Counts(program)
	if err != nil {
		t.Fatal(err)
	}
	return c
}
