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

func TestLong(t *testing.T) {
	for value, want := range map[string][2]int{"": {20, 0}, "0": {20, 0}, "1": {1000, 400}, "2/4": {250, 100}, "1/400": {20, 1}} {
		t.Setenv(long, value)
		n := 0
		for name := range 400 {
			if InLong(strconv.Itoa(name)) {
				n++
			}
		}
		if got := Times(20, 1000); got != want[0] || n < want[1]*3/4 || n > want[1]*5/4+2 {
			t.Errorf("%q: %d times, %d of 400 cases, want %v", value, got, n, want)
		}
	}
}
