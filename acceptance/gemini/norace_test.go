//go:build !race

package gemini

// raced says whether the race detector is on.
const raced = false
