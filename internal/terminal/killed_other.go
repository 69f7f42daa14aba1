//go:build !unix

package terminal

import "os"

// markName returns "": consoles have no names here.
func markName(*os.File) string { return "" }
