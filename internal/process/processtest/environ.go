package processtest

import "os"

// Environ returns an environment of variables, for a program that a test starts with no others. It adds the PATH and, for a program
// that is the test binary itself, the directory for coverage and the options of the race detector, without which a program waits for a second when
// it ends.
func Environ(variables ...string) []string {
	for _, name := range [...]string{"PATH", "GOCOVERDIR", "GORACE"} {
		variables = append(variables, name+"="+os.Getenv(name))
	}
	return variables
}
