package draft

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestDrafts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	save := func(session, text string) {
		t.Helper()
		if err := Save(dir, Draft{Session: session, Text: text, IsShell: session == "b", Time: time.Unix(1, 0)}); err != nil {
			t.Error(err)
		}
	}
	wants := func(session, want string) {
		t.Helper()
		if d, ok := Find(dir, session); d.Text != want || ok != (want != "") || d.IsShell != (ok && session == "b") {
			t.Errorf("%s: %+v, %v", session, d, ok)
		}
	}
	save("a", "")
	if _, err := os.Stat(filepath.Join(dir, fileName)); err == nil {
		t.Error("an empty draft makes a file")
	}
	save("a", "one")
	save("b", "two\n中文")
	save("a", "one more")
	wants("a", "one more")
	wants("b", "two\n中文")
	wants("c", "")
	if others := Others(dir, "a"); len(others) != 1 || others[0].Session != "b" {
		t.Errorf("the drafts of other sessions: %+v", others)
	}
	save("a", "")
	wants("a", "")
	wants("b", "two\n中文")
	save("b", "AIza"+strings.Repeat("x", 35))
	wants("b", "")
	if info, err := os.Stat(filepath.Join(dir, fileName)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
}

// TestQueue checks that the inputs that wait are kept with the draft and without one, but no API key.
func TestQueue(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	key := "AIza" + strings.Repeat("x", 35)
	for _, c := range []struct {
		saved, want Draft
		ok          bool
	}{
		{Draft{Queue: []string{"one", "!two"}}, Draft{Queue: []string{"one", "!two"}}, true},
		{Draft{Text: "three", Queue: []string{"one"}}, Draft{Text: "three", Queue: []string{"one"}}, true},
		{Draft{Text: key, Queue: []string{key, "one"}}, Draft{Queue: []string{"one"}}, true},
		{Draft{Text: "three", Queue: []string{}}, Draft{Text: "three"}, true},
		{Draft{Queue: []string{key}}, Draft{}, false},
		{Draft{}, Draft{}, false},
	} {
		c.saved.Session = "a"
		if err := Save(dir, c.saved); err != nil {
			t.Fatal(err)
		}
		got, ok := Find(dir, "a")
		if got.Session = ""; ok != c.ok || got.Text != c.want.Text || !slices.Equal(got.Queue, c.want.Queue) {
			t.Errorf("%+v: %+v, %v", c.saved, got, ok)
		}
	}
	if err := Save(dir, Draft{Session: "a", Queue: []string{strings.Repeat("x", maxText), "y"}}); err == nil {
		t.Error("a queue that is too large is kept")
	}
}

// TestLimits checks that the oldest drafts make room, that too large ones are refused, and that a damaged file is replaced.
func TestLimits(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, fileName), []byte("{broken"), 0o600); err != nil {
		t.Fatal(err)
	}
	for i := range maxDrafts + 1 {
		if err := Save(dir, Draft{Session: fmt.Sprint(i), Text: "x"}); err != nil {
			t.Fatal(err)
		}
	}
	_, isFirst := Find(dir, "0")
	_, isSecond := Find(dir, "1")
	if isFirst || !isSecond {
		t.Errorf("first: %v, second: %v", isFirst, isSecond)
	}
	if err := Save(dir, Draft{Session: "large", Text: strings.Repeat("x", maxText+1)}); err == nil {
		t.Error("a too large draft was saved")
	}
	for i := range 4 {
		if err := Save(dir, Draft{Session: fmt.Sprint("large", i), Text: strings.Repeat("x", maxText)}); err != nil {
			t.Fatal(err)
		}
	}
	_, isFirst = Find(dir, "large0")
	_, isLast := Find(dir, "large3")
	if info, err := os.Stat(filepath.Join(dir, fileName)); isFirst || !isLast || err != nil || info.Size() > maxBytes {
		t.Errorf("first: %v, last: %v, %v", isFirst, isLast, err)
	}
}

func TestManyProcesses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var wait sync.WaitGroup
	for i := range 3 {
		wait.Go(func() {
			for j := range 3 {
				if err := Save(dir, Draft{Session: fmt.Sprint(i), Text: fmt.Sprint(j)}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
	for i := range 3 {
		if d, ok := Find(dir, fmt.Sprint(i)); !ok || d.Text != "2" {
			t.Errorf("%d: %+v", i, d)
		}
	}
}
