package logs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"pollux/internal/records"
	"pollux/internal/secret"
)

// newLog returns the log of session "s" in a directory, which must not fail.
func newLog(t *testing.T, project string) *Log {
	t.Helper()
	l := New(func() (string, error) { return project, nil }, "s", forms, func(err error) { t.Error(err) })
	t.Cleanup(l.Close)
	return l
}

// forms returns a masker that knows only forms of secrets.
func forms() *secret.Masker { return secret.NewMasker(nil) }

// read returns the selected lines of a log.
func read(t *testing.T, path string, s Selection) []string {
	t.Helper()
	var lines []string
	err := Read(t.Context(), path, s, func(line []byte) error {
		lines = append(lines, string(line))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

func TestLog(t *testing.T) {
	t.Parallel()
	project := filepath.Join(t.TempDir(), "new")
	l := newLog(t, project)
	l.masker = func() *secret.Masker { return secret.NewMasker([]string{"hunter22"}) }
	log := slog.New(l.Handler())
	if _, err := os.Stat(project); !errors.Is(err, fs.ErrNotExist) {
		t.Error("the log writes before there is something to write")
	}
	log.Debug("request", "model", "m", "took", 1500*time.Millisecond, "err", errors.New(`key "hunter22" of AIzaSy0123456789abcdefghijklmnopqrstuvw`))
	log.Warn("two\nlines", "url", "http://me:pass@host/?a=b@c")
	l.Record(records.SessionBegan{ID: "t"})
	log.Info("other")

	path := Path(project, "s")
	lines := read(t, path, Selection{})
	if len(lines) != 2 || strings.Contains(lines[0]+lines[1], "hunter22") || strings.Contains(lines[0], "AIza") || strings.Contains(lines[1], "pass") {
		t.Fatalf("the log is %q", lines)
	}
	for i, want := range []string{
		` DEBUG request model=m took=1.5s err="key \"[REDACTED]\" of [REDACTED]"`,
		` WARN two lines url="http://[REDACTED]@host/?a=b@c"`,
	} {
		if got := Format([]byte(lines[i])); !strings.HasSuffix(got, want) {
			t.Errorf("the line is %s, want %s", got, want)
		}
	}
	if lines = read(t, Path(project, "t"), Selection{}); len(lines) != 1 {
		t.Errorf("the other log is %q", lines)
	}
	if runtime.GOOS != "windows" {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("the mode is %v (%v)", info.Mode(), err)
		}
		if info, err := os.Stat(filepath.Dir(path)); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("the mode of the directory is %v (%v)", info.Mode(), err)
		}
	}
	if got := Newest(project); got != "s" && got != "t" {
		t.Errorf("the newest log is that of %q", got)
	}
}

// A log loses its older half when it is too large, and a record that is too long.
func TestLogIsBounded(t *testing.T) {
	t.Parallel()
	project := t.TempDir()
	l := newLog(t, project)
	l.maxSize = 10_000
	for i := range 1000 {
		_, _ = fmt.Fprintf(l, `{"msg":"%d"}`+"\n", i)
		if info, err := os.Stat(Path(project, "s")); err != nil || info.Size() > l.maxSize {
			t.Fatal(info.Size(), err)
		}
	}
	lines := read(t, Path(project, "s"), Selection{})
	if len(lines) < 300 || lines[len(lines)-1] != `{"msg":"999"}` {
		t.Errorf("%d lines are left, the last is %s", len(lines), lines[len(lines)-1])
	}
	_, _ = fmt.Fprintf(l, `{"msg":"%s"}`+"\n", strings.Repeat("a", maxLine))
	if last := read(t, Path(project, "s"), Selection{Last: 1}); len(last) != 1 || !strings.Contains(last[0], `"msg":"left out a record"`) {
		t.Errorf("the last line is %q", last)
	}
}

// Only the newest logs are kept.
func TestPrune(t *testing.T) {
	t.Parallel()
	project := t.TempDir()
	for i := range maxLogs + 5 {
		l := New(func() (string, error) { return project, nil }, fmt.Sprint("s", i), forms, func(err error) { t.Error(err) })
		_, _ = l.Write([]byte("{}\n"))
		l.Close()
		at := time.Now().Add(time.Duration(i-100) * time.Hour)
		if err := os.Chtimes(Path(project, fmt.Sprint("s", i)), at, at); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(list(filepath.Join(project, dirName), logSuffix)); n != maxLogs {
		t.Errorf("%d logs are left", n)
	}
	if _, err := os.Stat(Path(project, "s4")); err == nil {
		t.Error("the oldest log is left")
	}
}

// Pollux does not write to a file that cannot be a log, and reports it once.
func TestLogRefuses(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("links need rights there")
	}
	for name, arrange := range map[string]func(dir string) error{
		"link":      func(dir string) error { return os.Symlink("../../victim", filepath.Join(dir, "session-s.jsonl")) },
		"directory": func(dir string) error { return os.Mkdir(filepath.Join(dir, "session-s.jsonl"), 0o700) },
		"linked directory": func(dir string) error {
			return errors.Join(os.Remove(dir), os.Symlink("../outside", dir))
		},
		"file": func(dir string) error { return errors.Join(os.Remove(dir), os.WriteFile(dir, nil, 0o600)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			project, victim := filepath.Join(root, "project"), filepath.Join(root, "victim")
			err := errors.Join(os.MkdirAll(filepath.Join(project, dirName), 0o700), os.Mkdir(filepath.Join(root, "outside"), 0o700),
				os.WriteFile(victim, []byte("mine"), 0o600), arrange(filepath.Join(project, dirName)))
			if err != nil {
				t.Fatal(err)
			}
			var warnings []error
			l := New(func() (string, error) { return project, nil }, "s", forms, func(err error) { warnings = append(warnings, err) })
			_, _ = l.Write([]byte("{}\n"))
			_, _ = l.Write([]byte("{}\n"))
			if len(warnings) != 1 {
				t.Errorf("the warnings are %v", warnings)
			}
			if data, err := os.ReadFile(victim); err != nil || string(data) != "mine" {
				t.Errorf("the file is %q (%v)", data, err)
			}
			if found, _ := os.ReadDir(filepath.Join(root, "outside")); len(found) > 0 {
				t.Errorf("there is %v", found)
			}
		})
	}
	var warned error
	l := New(func() (string, error) { return t.TempDir(), nil }, "../s", forms, func(err error) { warned = err })
	if _, _ = l.Write([]byte("{}\n")); warned == nil {
		t.Error("a log can be outside of its directory")
	}
}

func TestSelection(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "log")
	text := `{"time":"2026-01-01T10:00:00Z","msg":"a"}
{"time":"2026-01-01T11:00:00Z","msg":"b"}
torn {"time":
{"time":"2026-01-01T12:00:00Z","msg":"c"}
` + strings.Repeat("x", 3*maxLine) + `
{"time":"2026-01-01T13:00:00Z","msg":"d"}`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for want, s := range map[string]Selection{
		"a b torn c d": {},
		"c d":          {Last: 2},
		"b c d":        {Since: time.Date(2026, 1, 1, 11, 0, 0, 0, time.UTC)},
		"d":            {Since: time.Date(2026, 1, 1, 11, 0, 0, 0, time.UTC), Last: 1},
		"":             {Since: time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)},
	} {
		var got []string
		for _, line := range read(t, path, s) {
			if r, ok := Parse([]byte(line)); ok {
				line = r.Message
			}
			got = append(got, strings.Fields(line)[0])
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%+v selects %q, want %q", s, got, want)
		}
	}
}

// A reader that waits gets each line once, also of a log that loses its older half.
func TestWait(t *testing.T) {
	t.Parallel()
	project := t.TempDir()
	l := newLog(t, project)
	l.maxSize = 10_000
	_, _ = l.Write([]byte(`{"msg":"first"}` + "\n"))
	ctx, cancel := context.WithCancel(t.Context())
	lines := make(chan string)
	done := make(chan error, 1)
	go func() {
		done <- Read(ctx, Path(project, "s"), Selection{Wait: true, Last: 5}, func(line []byte) error {
			lines <- string(line)
			return nil
		})
	}()
	if got := <-lines; got != `{"msg":"first"}` {
		t.Fatal(got)
	}
	for i := range 1000 {
		line := fmt.Sprintf(`{"msg":"%d"}`, i)
		_, _ = l.Write([]byte(line + "\n"))
		if i%100 == 0 { // else the reader may miss a half
			for got := ""; got != line; {
				got = <-lines
			}
		}
	}
	last := -1
	for last != 999 {
		var n int
		if _, err := fmt.Sscanf(<-lines, `{"msg":"%d"}`, &n); err != nil || n <= last {
			t.Fatal(n, last, err)
		}
		last = n
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestReport(t *testing.T) {
	t.Parallel()
	project := t.TempDir()
	r := Report{
		Time: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Cause: "boom hunter22\nmore\x1b[2J", Version: "1.2.3", Session: "s",
		Settings: []string{"model.name"}, Heap: 1, Resident: 2,
		Events: [][]byte{[]byte(`{"time":"2026-01-02T03:04:05Z","level":"INFO","msg":"tool call","name":"x","in":3}`)},
		Stack: []byte("goroutine 1 [running]:\nmain.(*T).run(0xc000012345, {0x6869, 0x2}, ...)\n\t/src/main.go:5 +0x1d\n" +
			"created by main.start in goroutine 1\n\t/src/main.go:9 +0x2\n"),
	}
	path, err := r.Write(project, []string{"hunter22"})
	if err != nil || path != ReportPath(project, "s") {
		t.Fatal(path, err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"Cause:    boom [REDACTED]\n", "Time:     2026-01-02T03:04:05Z\n", "Version:  1.2.3\n", "Session:  s\n", "Settings: model.name\n",
		" INFO tool call name=x in=3\n", "main.(*T).run(...)\n\t/src/main.go:5 +0x1d\ncreated by main.start in goroutine 1\n",
	} {
		if !bytes.Contains(text, []byte(want)) {
			t.Errorf("the report lacks %q:\n%s", want, text)
		}
	}
	for i := range maxReports + 3 {
		r.Session = fmt.Sprint(i)
		if _, err := r.Write(project, nil); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(list(filepath.Join(project, dirName), reportSuffix)); n != maxReports {
		t.Errorf("%d reports are left", n)
	}
	r.Session = "../s"
	if _, err := r.Write(project, nil); err == nil {
		t.Error("a report can be outside of its directory")
	}
}

func TestParseSince(t *testing.T) {
	t.Parallel()
	zone := time.FixedZone("test", 3600)
	now := time.Date(2026, 6, 15, 12, 30, 0, 0, zone)
	for text, want := range map[string]string{
		"90s": "2026-06-15T12:28:30+01:00", "10m": "2026-06-15T12:20:00+01:00", "1h30m": "2026-06-15T11:00:00+01:00", "2d": "2026-06-13T12:30:00+01:00",
		"08:15": "2026-06-15T08:15:00+01:00", "08:15:30": "2026-06-15T08:15:30+01:00", "2026-01-31": "2026-01-31T00:00:00+01:00",
		"2026-01-31 10:00": "2026-01-31T10:00:00+01:00", "2026-01-31T10:00:00Z": "2026-01-31T10:00:00Z",
		"": "", "-5m": "", "yesterday": "", "99999999d": "", "2026-13-01": "",
	} {
		got, err := ParseSince(text, now)
		if (err != nil) != (want == "") || err == nil && got.Format(time.RFC3339) != want {
			t.Errorf("%q is %v (%v), want %s", text, got, err, want)
		}
	}
}

func FuzzFormat(f *testing.F) {
	f.Add([]byte(`{"time":"2026-01-01T10:00:00Z","level":"INFO","msg":"a","b":{"c":[1,"x"]},"d":"e f"}`))
	f.Add([]byte("\x1b]0;title\a{\"msg\":\"\\u001b[2J\\u202e\"}"))
	f.Add([]byte(`{"msg":"a","\u001b":"\u001b"}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		for _, r := range Format(line) {
			if r < ' ' || r >= 0x7f && r < 0xa0 || r == '\u202e' {
				t.Fatalf("%q is formatted as %q", line, Format(line))
			}
		}
	})
}

func FuzzParseSince(f *testing.F) {
	now := time.Now()
	f.Add("10m")
	f.Add("2026-01-31")
	f.Fuzz(func(t *testing.T, text string) { _, _ = ParseSince(text, now) })
}

func FuzzArguments(f *testing.F) {
	f.Add([]byte("a.b(0x1, {0x2})\n\tfile.go:1 +0x3\n"))
	f.Fuzz(func(t *testing.T, stack []byte) {
		if n := len(withoutArguments(stack)); n > len(stack)+6*bytes.Count(stack, []byte("\n"))+6 {
			t.Fatal(n)
		}
	})
}
