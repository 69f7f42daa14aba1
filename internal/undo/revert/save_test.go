//go:build linux

package revert

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pollux/internal/process/processtest"
	"pollux/internal/undo/undotest"
)

// saved are files that a person's editor saves in the middle of an undo, by the way it does so: the file is replaced by a new one, or
// written in place. The undo would change the first three, create the fourth, and remove the last two.
var saved = map[string]bool{"d/one": true, "w": false, "mode": true, "d/e/two": false, "new/n": false, "new/deep/er/n": true}

const savedText = "saved by the person\n"

// saveAll saves the files as an editor does, and lists them in a file. Directories that are gone do not come back.
func saveAll(dir string) {
	var list []string
	for name, isReplaced := range saved {
		path := filepath.Join(dir, "project", name)
		err := error(nil)
		if isReplaced {
			if err = os.WriteFile(path+"~", []byte(savedText), 0o640); err == nil {
				err = os.Rename(path+"~", path)
			}
		} else {
			err = os.WriteFile(path, []byte(savedText), 0o640)
		}
		if err == nil {
			list = append(list, name)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "list"), []byte(strings.Join(list, "\n")), 0o600); err != nil {
		panic(err)
	}
}

// TestSavedAtEachStep has an editor save files after each change of an undo. They keep the saved text, and all other paths come
// back.
func TestSavedAtEachStep(t *testing.T) {
	t.Parallel()
	if processtest.HasRaceDetector() {
		t.Skip("each step is a process of its own, which has no races, and takes long to start")
	}
	k := newKilled(t, killedTree, killedChanges)
	steps, met := 0, 0
	for n := 1; ; n++ {
		k.reset(t)
		k.sh(t, "rm -f list")
		if k.try(t, "save", n); t.Failed() {
			return
		}
		list, err := os.ReadFile(filepath.Join(k.dir, "list"))
		if os.IsNotExist(err) {
			break // the undo has fewer changes
		}
		if err != nil {
			t.Fatal(err)
		}
		steps = n
		got := undotest.Take(t, filepath.Join(k.dir, "project"))
		names := strings.Split(string(list), "\n")
		for _, name := range names {
			if text, err := os.ReadFile(filepath.Join(k.dir, "project", name)); err != nil || string(text) != savedText {
				t.Errorf("saved after %d changes: %s has %q: %v", n, name, text, err)
			}
			if saved[name] && !strings.HasPrefix(got[name], "-rw-r-----") {
				t.Errorf("saved after %d changes: %s is %s", n, name, got[name])
			}
			met++
		}
		for path, was := range k.before {
			if _, isSaved := saved[path]; !isSaved && got[path] != was {
				t.Errorf("saved after %d changes: %s was %s, and is %s", n, path, was, got[path])
			}
		}
	}
	if steps < 60 || met < 4*steps {
		t.Errorf("%d steps, %d files saved", steps, met)
	}
}
