package promptlog

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// writeLog writes a log with prompts, one an hour from a day on, and returns its path.
func writeLog(t *testing.T, day int, prompts ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), FileName)
	var entries []entry
	for i, text := range prompts {
		at := time.Date(2026, 1, day, i, 0, 0, 0, time.UTC)
		entries = append(entries, entry{SessionID: "s", Type: typeUser, Message: text, Timestamp: at.Format(time.RFC3339)})
	}
	if err := os.WriteFile(path, encode(entries), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestNewest(t *testing.T) {
	t.Parallel()
	one := writeLog(t, 1, "old", "both", "a")
	two := writeLog(t, 2, "both", "b")
	damaged := filepath.Join(t.TempDir(), FileName)
	if err := os.WriteFile(damaged, []byte("[{"), 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), FileName)
	if err := os.Symlink(one, link); err != nil {
		t.Fatal(err)
	}
	paths := []string{damaged, one, filepath.Join(t.TempDir(), "missing"), link, two}
	show := func(most int) string {
		var all []string
		for _, p := range Newest(paths, most) {
			name := map[string]string{one: "1", two: "2"}[p.Path]
			all = append(all, fmt.Sprintf("%s:%s@%d", name, p.Text, p.Time.Day()))
		}
		return strings.Join(all, " ")
	}
	if got := show(10); got != "2:b@2 2:both@2 1:a@1 1:old@1" {
		t.Error(got)
	}
	if got := show(3); got != "2:b@2 2:both@2 1:a@1" {
		t.Error(got)
	}
}

// TestNewestReadsFewLogs checks that the logs that were changed last are read.
func TestNewestReadsFewLogs(t *testing.T) {
	t.Parallel()
	var paths []string
	for i := range maxLogs + 5 {
		path := writeLog(t, 1, fmt.Sprint("prompt ", i))
		at := time.Date(2026, 1, 1, 0, 0, i, 0, time.UTC)
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	found := Newest(paths, 1000)
	if len(found) != maxLogs {
		t.Fatalf("%d prompts", len(found))
	}
	for _, p := range found {
		if p.Text == "prompt 4" {
			t.Error("an old log is read")
		}
	}
}
