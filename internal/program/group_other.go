//go:build !unix

package program

import "os/exec"

// OwnGroup does nothing: there are no groups here, and the program alone is killed.
func OwnGroup(*exec.Cmd) {}
