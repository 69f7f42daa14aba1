//go:build race

package gemini

// raced reports whether the race detector is on.
const raced = true
