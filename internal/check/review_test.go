package check

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pollux/agent"
	"pollux/internal/process"
)

// slow is a setting with a check that waits until the file "go" exists, and then finds each line with "no".
func slow(t *testing.T) any {
	t.Helper()
	program(t, "sh")
	script := "until test -f go; do sleep 0.01; done; grep -n no | sed 's/^/-:/'; exit 1"
	return map[string]any{"txt": []any{"sh", "-c", script}}
}

func TestLate(t *testing.T) {
	t.Parallel()
	r := newReviewer(t, nil)
	setting := slow(t)
	r.checks.Setting = func() (any, process.Origin) { return setting, process.OriginUser }
	r.wait = 0
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	finish := func() {
		t.Helper()
		if err := os.WriteFile(filepath.Join(r.checks.Dir, "go"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, task := range r.late {
			<-task.done
		}
	}
	if got := r.Review(ctx, []agent.FileChange{r.edited("a.txt", "yes\n", "yes\nno\n"), r.edited("b.txt", "", "no"), r.edited("c.txt", "", "yes")}); got != "" || len(r.late) != 3 {
		t.Fatalf("%q, %d late", got, len(r.late))
	}
	if got := r.Review(ctx, nil); got != "" {
		t.Errorf("before the end: %q", got)
	}
	old := r.late[1]
	if got := r.Review(ctx, []agent.FileChange{r.edited("b.txt", "no", "yes")}); got != "" || len(r.late) != 3 || slices.Contains(r.late, old) {
		t.Errorf("after another edit: %q, %d late", got, len(r.late))
	}
	<-old.done // cancelled
	finish()
	if got, want := r.Review(ctx, nil), "After your earlier edit, the user's check found problems in a.txt (sh): line 2: no"; got != want || len(r.late) != 0 {
		t.Errorf("got %q, %d late", got, len(r.late))
	}
	if got := r.Review(ctx, nil); got != "" {
		t.Errorf("twice: %q", got)
	}
}

// TestEndOfRun checks that the end of a run ends checks.
func TestEndOfRun(t *testing.T) {
	t.Parallel()
	r := newReviewer(t, nil)
	setting := slow(t)
	r.checks.Setting = func() (any, process.Origin) { return setting, process.OriginUser }
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(0, cancel)
	r.Review(ctx, []agent.FileChange{r.edited("a.txt", "", "no")})
	for _, task := range r.late {
		<-task.done
	}
	if got := r.Review(t.Context(), nil); got != "" || len(r.late) > 0 {
		t.Error(got)
	}
}

func TestOwn(t *testing.T) {
	t.Parallel()
	program(t, "sh")
	sh := func(script string) any { return []any{"sh", "-c", script, "name", "--path={}"} }
	for _, tt := range []struct {
		name    string
		command any
		before  string
		want    string
	}{
		{"valid", sh("exit 0"), "", ""},
		{"false", false, "", ""},
		{"places", sh("echo 1 file; echo $1:2:3: no; echo - 4: x; exit 1"), "", "The user's check now finds problems in a.go (sh): 2:3: no"},
		{"words", `sh -c 'echo "line 7 is bad" >&2; exit 2'`, "", "The user's check now finds problems in a.go (sh): line 7: line 7 is bad"},
		{"no places", sh("echo a; echo b; exit 1"), "", "The user's check now finds problems in a.go (sh):\na\nb"},
		{"no output", sh("exit 1"), "", ""},
		{"the same before", sh("echo 1:1: x; exit 1"), "new", ""},
		{"standard input", sh("grep -n new | sed s/$/:/; exit 1"), "old", ""},
		{"a signal", sh("echo 1:1: x; kill -9 $$"), "", ""},
		{"the directory", sh("echo 1: $PWD; exit 1"), "", "DIR"},
	} {
		r := newReviewer(t, map[string]any{"go": tt.command})
		dir, _ := filepath.EvalSymlinks(r.checks.Dir)
		want := strings.ReplaceAll(tt.want, "DIR", "The user's check now finds problems in a.go (sh): line 1: "+dir)
		if tt.name == "standard input" {
			want = "The user's check now finds problems in a.go (sh): line 1: new:"
		}
		if got := r.Review(t.Context(), []agent.FileChange{r.edited("a.go", tt.before, "new")}); got != want {
			t.Errorf("%s: got %q, want %q", tt.name, got, want)
		}
	}
}

// TestOff checks the settings that turn checks off, and the one that is none.
func TestOff(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		setting any
		isOn    bool
		warning string
	}{
		{nil, true, ""},
		{true, true, ""},
		{map[string]any{"json": true}, true, ""},
		{map[string]any{"go": false}, true, ""},
		{false, false, ""},
		{map[string]any{"json": false}, false, ""},
		{"sh", false, "pollux.check must be true, false or an object."},
		{map[string]any{"json": 5.0}, false, "pollux.check.json cannot start: the command is empty. Fix the command in your settings, or set it to false."},
		{map[string]any{"json": []any{5.0}}, false, "pollux.check.json cannot start: 5 is not a string. Fix the command in your settings, or set it to false."},
		{map[string]any{"json": "no-such-program"}, false, `pollux.check.json cannot start: run "no-such-program": executable file not found in $PATH. Fix the command in your settings, or set it to false.`},
	} {
		r := newReviewer(t, tt.setting)
		warnings := []string{}
		r.checks.Warn = func(text string) { warnings = append(warnings, text) }
		for range 2 {
			if got := r.Review(t.Context(), []agent.FileChange{r.edited("a.json", "", "{")}); (got != "") != tt.isOn {
				t.Errorf("%v: %q", tt.setting, got)
			}
		}
		if got := strings.Join(warnings, "; "); got != tt.warning {
			t.Errorf("%v: warned %q", tt.setting, got)
		}
	}
}

// TestProgramOfProject checks that a program of the project does not run for its name.
func TestProgramOfProject(t *testing.T) {
	t.Parallel()
	program(t, "sh")
	outside := t.TempDir()
	sh := process.Finder{Path: os.Getenv("PATH")}.Find("sh")
	for _, plant := range []func(inside string) error{
		func(inside string) error {
			return os.WriteFile(inside, []byte("#!/bin/sh\necho 1: ran; exit 1\n"), 0o700)
		},
		func(inside string) error { return os.Symlink(sh, inside) },
	} {
		r := newReviewer(t, map[string]any{"txt": "lint -c 'echo 1: ran; exit 1'"})
		inside, warned := filepath.Join(r.checks.Dir, "lint"), ""
		r.checks.Warn = func(text string) { warned = text }
		r.checks.Environ = func() []string { return []string{"PATH=" + r.checks.Dir + string(os.PathListSeparator) + outside} }
		if err := plant(inside); err != nil {
			t.Fatal(err)
		}
		if got := r.Review(t.Context(), []agent.FileChange{r.edited("a.txt", "", "x")}); got != "" || !strings.Contains(warned, inside+" belongs to the project: name it with its whole path") {
			t.Errorf("%q, %q", got, warned)
		}
		r.checks.Setting = func() (any, process.Origin) {
			return map[string]any{"txt": []any{inside, "-c", "echo 1: ran; exit 1"}}, process.OriginUser
		}
		if got := r.Review(t.Context(), []agent.FileChange{r.edited("a.txt", "", "x")}); !strings.Contains(got, "line 1: ran") {
			t.Errorf("named with its path: %q", got)
		}
	}
}

// TestPurpose checks what a middleware learns of the programs.
func TestPurpose(t *testing.T) {
	t.Parallel()
	r := newReviewer(t, map[string]any{"txt": "sh -c 'exit 0'"})
	var seen []process.Command
	r.checks.Launcher = process.NewLauncher(func(process.Handler) process.Handler {
		return func(_ context.Context, c *process.Command) (*process.Process, error) {
			seen = append(seen, *c)
			return nil, errors.New("refused")
		}
	})
	r.checks.Setting = func() (any, process.Origin) { return map[string]any{"txt": "sh -c 'exit 0'"}, process.OriginSystem }
	r.checks.Warn = func(string) {}
	r.checks.Find = func(string) string { return "/bin/python3" }
	r.Review(t.Context(), []agent.FileChange{r.edited("a.py", "", "x")})
	r.Review(t.Context(), []agent.FileChange{r.edited("a.txt", "", "x")})
	if len(seen) != 2 || seen[0].For != (process.Purpose{Kind: process.KindCheck, Origin: process.OriginPollux}) || seen[0].Dir != "/bin" || !slices.Equal(seen[0].Args[:4], []string{"-I", "-S", "-B", "-c"}) ||
		seen[1].For != (process.Purpose{Kind: process.KindCheck, Origin: process.OriginSystem, Name: ".txt"}) {
		t.Errorf("%+v", seen)
	}
}

// TestPanic checks that a mistake of a parser is not one of the file.
func TestPanic(t *testing.T) {
	t.Parallel()
	if r, ok := inProcess(func(string, string) Report { panic("bug") }).Check(t.Context(), "", ""); ok || len(r.Problems) > 0 {
		t.Error(r, ok)
	}
}

// TestConflicts: an edit says where conflicts of a merge are left, in any file.
func TestConflicts(t *testing.T) {
	t.Parallel()
	const one = "a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> feature\n"
	for _, tt := range []struct{ name, before, after, want string }{
		{"a.txt", one + "d\n" + one, "a\nd\n" + one, "Conflicts are left in a.txt, line 4."},
		{"README", one + one, one + one + "\n", "Conflicts are left in README, line 2, 8."},
		{"a.txt", one, "a\nb\n", ""},
		{"a.txt", one, "a\nb\n>>>>>>> feature\n", "Conflicts are left in a.txt, line 3."},
		{"a.txt", one, "a\n<<<<<<< HEAD\nb\n", "Conflicts are left in a.txt, line 2."},
		{"a.txt", one, "a\nb\n=======\nc\n", "Conflicts are left in a.txt, line 3."},
		{"a.txt", one + one, "b\n=======\r\nc\n" + one, "Conflicts are left in a.txt, line 2, 5."},
		{"a.rst", "Heading\n=======\n" + one, "Heading\n=======\na\nb\n", ""},
		{"a.txt", "x", one, ""},
		{"a.txt", "", one, ""},
		{"a.rst", "<<<<<<< a", "<<<<<<< a\nb", ""},
	} {
		if got := newReviewer(t, nil).review(t, tt.name, tt.before, tt.after); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
	if got := newReviewer(t, false).review(t, "a.txt", one+one, one); got != "" {
		t.Errorf("switched off: %q", got)
	}
}
