package viewer

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var isUpdate = flag.Bool("update", false, "write the golden files")

// TestGolden compares screens with their golden files, in several sizes.
func TestGolden(t *testing.T) {
	t.Parallel()
	for _, size := range []struct{ width, height int }{{40, 12}, {80, 24}, {160, 50}} {
		v := New(sample().source(), Options{})
		var b strings.Builder
		show := func(title string) {
			fmt.Fprintf(&b, "---- %s\n%s", title, screen(v, size.width, size.height))
		}
		show("at the end")
		press(v, "b")
		show("a page before")
		press(v, "home")
		show("at the beginning")
		press(v, "P")
		show("the second prompt")
		press(v, "g", "/", "p", "a", "r", "s", "e", "r")
		for v.Step() {
		}
		show("typing a search")
		press(v, "enter", "n", "n")
		show("the third match")
		press(v, "c")
		show("copied")
		compare(t, fmt.Sprintf("screens.%dx%d.txt", size.width, size.height), b.String())
	}
}

func compare(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *isUpdate {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != strings.ReplaceAll(string(want), "\r\n", "\n") {
		t.Errorf("%s is not as before (go test -update writes it):\n%s", name, got)
	}
}
