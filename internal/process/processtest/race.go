package processtest

import (
	"runtime/debug"
	"slices"
	"testing"
)

// HasRaceDetector reports whether this program was built with the race detector, which makes code about ten times
// slower.
func HasRaceDetector() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}

// SkipIfRacing skips a test under the race detector: one that only reads source files, so that there is no race to
// find.
func SkipIfRacing(t *testing.T) {
	t.Helper()
	if HasRaceDetector() {
		t.Skip("it only reads source files: there is no race to find")
	}
}
