//go:build !linux

package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "screen: it measures on Linux alone, whose /proc it reads")
	os.Exit(1)
}
