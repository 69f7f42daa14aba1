package processtest

import (
	"strconv"
	"testing"
)

// TestInPart checks that each name is in one of the parts, which have about the same size.
func TestInPart(t *testing.T) {
	const names, parts = 6000, 6
	sizes := [parts]int{}
	for name := range names {
		found := 0
		for part := range parts {
			t.Setenv("POLLUX_PART", strconv.Itoa(part+1)+"/"+strconv.Itoa(parts))
			if InPart(strconv.Itoa(name)) {
				found++
				sizes[part]++
			}
		}
		if found != 1 {
			t.Fatalf("%d is in %d parts", name, found)
		}
	}
	for part, size := range sizes {
		if size < names/parts*3/4 || size > names/parts*5/4 {
			t.Errorf("part %d has %d names", part+1, size)
		}
	}
	t.Setenv("POLLUX_PART", "")
	if !InPart("x") {
		t.Error("a name is left out without parts")
	}
}
