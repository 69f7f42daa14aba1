package promptlog

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// testLog returns a log in a directory, and the warnings.
func testLog(dir string) (*Log, *[]string) {
	var mu sync.Mutex
	warnings := &[]string{}
	return &Log{
		Path: func() (string, error) { return filepath.Join(dir, "logs.json"), nil },
		Warn: func(text string) {
			mu.Lock()
			defer mu.Unlock()
			*warnings = append(*warnings, text)
		},
	}, warnings
}

func entriesOf(t *testing.T, dir string) []entry {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "logs.json"))
	if err != nil {
		t.Fatal(err)
	}
	var entries []entry
	if err := json.Unmarshal(data, &entries); err != nil {
		t.Fatal(err)
	}
	return entries
}

// wait waits until the log has written all prompts, however busy the machine is.
func wait(l *Log) {
	for {
		l.mu.Lock()
		written := l.written
		l.mu.Unlock()
		if written == nil {
			return
		}
		<-written
	}
}

func TestAdd(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	l, warnings := testLog(dir)
	for _, prompt := range []string{"one\n", "", " ", "zwei <\u2028&>", "/help", "key AIza" + strings.Repeat("x", 35), strings.Repeat("x", maxPrompt+1)} {
		l.Add("a", prompt)
	}
	l.Add("b", "three")
	l.Add("a", "four")
	wait(l)
	var got []string
	for _, e := range entriesOf(t, dir) {
		got = append(got, fmt.Sprintf("%s %v %s %q", e.SessionID, e.MessageID, e.Type, e.Message))
		if at, err := time.Parse("2006-01-02T15:04:05.000Z", e.Timestamp); err != nil || time.Since(at) > time.Hour {
			t.Error(e.Timestamp, err)
		}
	}
	want := []string{`a 0 user "one"`, `a 1 user "zwei <\u2028&>"`, `a 2 user "/help"`, `b 0 user "three"`, `a 3 user "four"`}
	if !slices.Equal(got, want) || len(*warnings) > 0 {
		t.Errorf("%q\n%q\n%q", got, want, *warnings)
	}
	if info, err := os.Stat(filepath.Join(dir, "logs.json")); err != nil || info.Mode().Perm() != 0o600 {
		t.Error(info.Mode(), err)
	}
	l.Add("a", "one")
	if got := l.Recent(3); !slices.Equal(textsOf(got), []string{"one", "four", "three"}) || time.Since(got[0].Time) > time.Hour {
		t.Errorf("%q", got)
	}
	wait(l)
	if left, _ := filepath.Glob(filepath.Join(dir, "*.lock")); len(left) > 0 {
		t.Error(left)
	}
	var none *Log
	none.Add("a", "x")
	none.Close()
	if none.Recent(1) != nil {
		t.Error("a nil log has prompts")
	}
}

func textsOf(prompts []Prompt) (texts []string) {
	for _, p := range prompts {
		texts = append(texts, p.Text)
	}
	return texts
}

// TestAddAtOnce writes from several sessions at once, as several processes do.
func TestAddAtOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const sessions, prompts = 4, 8
	var all sync.WaitGroup
	for s := range sessions {
		l, warnings := testLog(dir)
		all.Go(func() {
			for n := range prompts {
				l.Add(fmt.Sprint(s), fmt.Sprint(s, "-", n))
			}
			wait(l)
			if len(*warnings) > 0 {
				t.Error(*warnings)
			}
		})
	}
	all.Wait()
	ids := map[string]bool{}
	for _, e := range entriesOf(t, dir) {
		ids[fmt.Sprint(e.SessionID, " ", e.MessageID)] = true
	}
	if len(ids) != sessions*prompts {
		t.Errorf("%d entries, want %d", len(ids), sessions*prompts)
	}
}

// TestFiles adds a prompt to existing files.
func TestFiles(t *testing.T) {
	t.Parallel()
	const old = `{"sessionId":"s","messageId":7,"timestamp":"2026-01-01T00:00:00.000Z","type":"user","message":"old"}`
	for name, tt := range map[string]struct {
		file   string
		want   string // the messages afterwards
		backup string // the reason in the name of the damaged file
	}{
		"empty array":     {`[]`, "new", ""},
		"one":             {`[` + old + `]`, "old new", ""},
		"wrong entries":   {`[null, 1, "x", [], {}, {"sessionId":"s"}, {"sessionId":1,"messageId":1,"timestamp":"","type":"user","message":"x"}, ` + old + `]`, "old new", ""},
		"extra fields":    {`[` + strings.Replace(old, "{", `{"more":{"a":[1]},`, 1) + `]`, "old new", ""},
		"empty file":      {``, "new", "invalid_json"},
		"torn":            {`[` + old + `, {"sess`, "new", "invalid_json"},
		"NULs":            {`[` + old + strings.Repeat("\x00", 100), "new", "invalid_json"},
		"an object":       {`{}`, "new", "malformed_array"},
		"null":            {`null`, "new", "malformed_array"},
		"large":           {`[` + strings.Repeat(strings.Replace(old, "old", strings.Repeat("x", 1000), 1)+",\n", 5000) + old + `]`, "", ""},
		"deep":            {strings.Repeat("[", 100_000), "new", "invalid_json"},
		"a huge message":  {`[` + old + `,` + strings.Replace(old, "old", strings.Repeat("x", maxSize), 1) + `]`, "new", ""},
		"not valid UTF-8": {`[` + strings.Replace(old, "old", "o\xff", 1) + `]`, "o\ufffd new", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path := filepath.Join(dir, "logs.json")
			if err := os.WriteFile(path, []byte(tt.file), 0o600); err != nil {
				t.Fatal(err)
			}
			l, warnings := testLog(dir)
			l.Add("s", "new")
			wait(l)
			var got []string
			entries := entriesOf(t, dir)
			for _, e := range entries {
				got = append(got, e.Message)
			}
			if text := strings.Join(got, " "); tt.want != "" && text != tt.want {
				t.Errorf("got %.200q, want %q", text, tt.want)
			}
			last := entries[len(entries)-1]
			if len(entries) > 1 && last.MessageID != 8 || last.Message != "new" {
				t.Errorf("%+v", last)
			}
			if info, err := os.Stat(path); err != nil || info.Size() > maxSize || name == "large" && info.Size() < maxSize*3/4 {
				t.Error(info.Size(), err)
			}
			backups, _ := filepath.Glob(path + ".*.bak")
			switch {
			case len(*warnings) > 0:
				t.Error(*warnings)
			case tt.backup == "" && len(backups) > 0:
				t.Error(backups)
			case tt.backup != "":
				if len(backups) != 1 || !strings.HasPrefix(backups[0], path+"."+tt.backup+".") {
					t.Fatal(backups)
				}
				if kept, err := os.ReadFile(backups[0]); err != nil || string(kept) != tt.file {
					t.Errorf("%.100q %v", kept, err)
				}
			}
		})
	}
}

// TestNotWritable warns once of a file that cannot be written, and does not touch it.
func TestNotWritable(t *testing.T) {
	t.Parallel()
	for name, make := range map[string]func(path string) error{
		"a directory": func(path string) error { return os.Mkdir(path, 0o700) },
		"a link":      func(path string) error { return os.Symlink(filepath.Join(filepath.Dir(path), "other"), path) },
		"huge":        func(path string) error { return os.WriteFile(path, slices.Repeat([]byte(" "), maxRead+1), 0o600) },
		"no parent":   func(path string) error { return os.RemoveAll(filepath.Dir(path)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "project")
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(dir, "logs.json")
			if err := make(path); err != nil {
				t.Fatal(err)
			}
			before, _ := os.Lstat(path)
			l, warnings := testLog(dir)
			l.Add("s", "one")
			wait(l)
			l.Add("s", "two")
			wait(l)
			if len(*warnings) != 1 || !strings.HasPrefix((*warnings)[0], "Warning: Your prompts are not added to the history: ") {
				t.Errorf("%q", *warnings)
			}
			if after, _ := os.Lstat(path); before != nil && !os.SameFile(before, after) {
				t.Error("the file was replaced")
			}
			if got := l.Recent(5); len(got) > 0 {
				t.Errorf("%q", got)
			}
			if entries, _ := os.ReadDir(dir); len(entries) > 1 {
				t.Error(entries)
			}
		})
	}
}

// TestOtherProgramWrites reads the file while another program overwrites it in place.
func TestOtherProgramWrites(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "logs.json")
	if err := os.WriteFile(path, []byte(`[{"sess`), 0o600); err != nil {
		t.Fatal(err)
	}
	l, _ := testLog(dir)
	l.Add("s", "new")
	time.Sleep(30 * time.Millisecond) // within the attempts, on a machine that is not too slow
	whole := `[{"sessionId":"s","messageId":0,"timestamp":"2026-01-01T00:00:00.000Z","type":"user","message":"old"}]`
	if err := os.WriteFile(path, []byte(whole), 0o600); err != nil {
		t.Fatal(err)
	}
	wait(l)
	if backups, _ := filepath.Glob(path + ".*.bak"); len(backups) > 0 {
		t.Skip("the machine is slow")
	}
	if entries := entriesOf(t, dir); len(entries) != 2 || entries[1].MessageID != 1 {
		t.Errorf("%+v", entries)
	}
}

func BenchmarkAdd(b *testing.B) {
	dir := b.TempDir()
	l, _ := testLog(dir)
	var entries []entry
	for i := range 5_000 {
		entries = append(entries, entry{fmt.Sprint("session-", i/20), float64(i % 20), typeUser, strings.Repeat("word ", 40), "2026-01-01T00:00:00.000Z"})
	}
	if err := os.WriteFile(filepath.Join(dir, "logs.json"), encode(entries), 0o600); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		l.Add("s", "prompt")
		wait(l)
	}
}

func TestMask(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	l, _ := testLog(dir)
	l.Mask = func(prompt string) string { return strings.ReplaceAll(prompt, "hunter22", "[REDACTED]") }
	l.Add("a", "it is hunter22")
	wait(l)
	if got := entriesOf(t, dir); len(got) != 1 || got[0].Message != "it is [REDACTED]" {
		t.Errorf("the file has %v", got)
	}
}
