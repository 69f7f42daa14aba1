//go:build !unix

package search

import (
	"io/fs"
	"os/exec"
)

var ripgrepNames = [...]string{"rg.exe"}

func executable(fs.FileMode) bool { return true }

func ownGroup(*exec.Cmd) {} // ripgrep starts no processes
