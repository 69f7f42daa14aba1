package acceptance

import (
	"fmt"
	"os"
)

// pollux is the program under test, as cmd/pollux runs it.
func pollux() {
	fmt.Fprintln(os.Stderr, "the command line is not wired to the acceptance tests yet")
	os.Exit(99)
}
