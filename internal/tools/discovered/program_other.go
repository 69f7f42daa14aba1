//go:build !unix

package discovered

import (
	"os"
	"os/exec"
)

// apart leaves a command where it is: cancelling kills it alone.
func apart(*exec.Cmd) {}

func signal(*os.ProcessState) string { return "" }
