package private

import (
	"runtime"
	"testing"
)

// TestPortOf checks which names are marks.
func TestPortOf(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]int{
		"\x00pollux-server/80/x": 80, "\x00pollux-server/65535/": 65535, "\x00pollux-server/8080": 8080,
		"\x00pollux-server/65536/x": -1, "\x00pollux-server/-1/x": -1, "\x00pollux-server/x/80": -1, "\x00pollux-server/": -1,
		"pollux-server/80/x": -1, "@pollux-server/80/x": -1, "": -1, "/tmp/pollux-server/80/x": -1,
	} {
		port, isMark := PortOf(name)
		if isMark != (want >= 0) || isMark && int(port) != want {
			t.Errorf("%q: %d, %v", name, port, isMark)
		}
	}
}

// TestMark checks that no program can take the name of a mark before.
func TestMark(t *testing.T) {
	t.Parallel()
	for range 2 {
		mark, err := Mark(61235)
		if err != nil {
			t.Fatal(err)
		}
		defer mark.Close()
	}
	if Holds != (runtime.GOOS == "linux") {
		t.Error(Holds)
	}
}
