//go:build unix

package undo_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pollux/internal/undo"
	"pollux/internal/undo/store"
	"pollux/internal/undo/undotest"
)

// killedIn is the variable with the directory of a test process that kills itself.
const killedIn = "POLLUX_TEST_KILLED_IN"

// betweenCalls is the variable that is set for a process that kills itself while it only has a program in the background.
const betweenCalls = "POLLUX_TEST_KILLED_BETWEEN_CALLS"

// disaster is the script during which the process dies.
const disaster = "rm -rf a .git; echo changed >.env; mkdir x; mv untracked x/y"

// dieIn records two runs, and dies in the second, beside one at known paths.
func dieIn(dir string) {
	p := &place{dir: filepath.Join(dir, "project"), store: store.Open(filepath.Join(dir, "undo"), store.DefaultLimit)}
	o := p.options()
	o.Background = func() []string { return []string{"serve"} }
	r := undo.New(o)
	first, err := r.Begin(context.Background(), store.Header{Title: "first"}, undo.Scope{Anywhere: true})
	if err == nil {
		p.try("echo before >first; rm link")
		_, err = first.End(context.Background())
	}
	if err == nil && os.Getenv(betweenCalls) != "" {
		p.try(disaster)
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	}
	if err == nil {
		_, err = r.Begin(context.Background(), store.Header{Title: "outside"}, undo.Scope{Paths: []string{filepath.Join(dir, "outside", "new", "file")}})
	}
	if err == nil {
		_, err = r.Begin(context.Background(), store.Header{Title: "second"}, undo.Scope{Anywhere: true})
	}
	if err != nil {
		_, _ = os.Stderr.WriteString(err.Error())
		os.Exit(1)
	}
	p.try(disaster)
	p.try("mkdir -p ../outside/new; echo x >../outside/new/file")
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
}

// die lets a process record two runs in a place, and die in the second.
func die(t *testing.T, p *place, environ ...string) {
	t.Helper()
	c := exec.Command(os.Args[0])
	c.Env = append(append(os.Environ(), killedIn+"="+filepath.Dir(p.dir)), environ...)
	out, err := c.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != -1 {
		t.Fatalf("it did not die: %v\n%s", err, out)
	}
}

// TestKilled takes back the changes of a run in which the process was killed.
func TestKilled(t *testing.T) {
	t.Parallel()
	p := newPlace(t, repository+"; mkdir ../outside")
	p.rename(t, "[*]") // no name is a pattern
	die(t, p)
	want := undotest.Take(t, p.dir)
	if err := undo.Recover(t.Context(), p.store, p.git()); err != nil {
		t.Fatal(err)
	}
	list, damaged, err := p.store.List()
	if err != nil || len(damaged) > 0 || len(list) != 3 {
		t.Fatalf("operations %+v, damaged %v, error %v", list, damaged, err)
	}
	if list[2].Title != "second" || list[2].Kind == store.Background {
		t.Errorf("the call that was killed is %+v", list[2])
	}
	var back []int
	for _, o := range list {
		back = append(back, p.undo(t, o.Number).Number)
	}
	if _, err := os.Lstat(filepath.Join(filepath.Dir(p.dir), "outside", "new")); !os.IsNotExist(err) {
		t.Errorf("outside: %v", err)
	}
	fresh := newPlace(t, repository)
	if diff := cmp.Diff(contents(undotest.Take(t, fresh.dir)), contents(undotest.Take(t, p.dir))); diff != "" {
		t.Errorf("after undo (-want +got):\n%s", diff)
	}
	for _, n := range back {
		p.undo(t, n)
	}
	if diff := cmp.Diff(want, undotest.Take(t, p.dir)); diff != "" {
		t.Errorf("after redo (-want +got):\n%s", diff)
	}
	if entries, err := os.ReadDir(filepath.Join(p.store.Dir(), "bases")); err != nil || len(entries) > 0 {
		t.Errorf("bases %v, error %v", entries, err)
	}
}

// TestKilledWithDamage has lost a copy with the process: only the paths that need it do not come back.
func TestKilledWithDamage(t *testing.T) {
	t.Parallel()
	for _, script := range []string{
		"rm ../undo/bases/*/pack",
		"for p in ../undo/bases/*/pack; do truncate -s 0 $p; done",
	} {
		p := newPlace(t, "mkdir a ../outside; echo one >a/one; echo SECRET=1 >.env; : >empty; ln -s a link; echo new >untracked; head -c 100000 /dev/zero >a/large")
		die(t, p)
		p.sh(t, script)
		if err := undo.Recover(t.Context(), p.store, p.git()); err != nil {
			t.Fatal(err)
		}
		o, err := p.store.Read(3)
		if err != nil {
			t.Fatal(err)
		}
		lost := map[string]bool{}
		for _, c := range o.Changes {
			if c.Before.IsLost() {
				lost[strings.TrimPrefix(c.Path, p.dir+"/")] = strings.HasPrefix(c.Before.Lost, "its copy cannot be read: ")
			}
		}
		if diff := cmp.Diff(map[string]bool{"a/one": true, ".env": true, "untracked": true}, lost); diff != "" || o.Lost != 3 {
			t.Errorf("%s: lost %d (-want +got):\n%s", script, o.Lost, diff)
		}
		plan := p.plan(t, o.Number)
		if list := plan.Problems(); len(list) != 3 {
			t.Errorf("%s: problems %+v", script, list)
		}
		if _, err := p.apply(t, plan); err != nil {
			t.Error(err)
		}
		p.sh(t, "test $(stat -c %s a/large) = 100000; test ! -e x; test ! -e a/one; grep -q changed .env")
	}
}

// TestKilledBetweenCalls records the changes of a program in the background whose Pollux was killed.
func TestKilledBetweenCalls(t *testing.T) {
	t.Parallel()
	p := newPlace(t, repository)
	die(t, p, betweenCalls+"=1")
	if err := undo.Recover(t.Context(), p.store, p.git()); err != nil {
		t.Fatal(err)
	}
	list, _, err := p.store.List()
	if err != nil || len(list) != 2 {
		t.Fatalf("operations %+v, error %v", list, err)
	}
	o := list[1]
	if o.Kind != store.Background || o.Title != "serve" || len(o.Beside) != 2 || o.Beside[0] != undo.Between {
		t.Errorf("operation %+v", o)
	}
	p.undo(t, 2)
	p.undo(t, 1)
	fresh := newPlace(t, repository)
	if diff := cmp.Diff(contents(undotest.Take(t, fresh.dir)), contents(undotest.Take(t, p.dir))); diff != "" {
		t.Errorf("after undo (-want +got):\n%s", diff)
	}
}

// contents returns a picture without the times and the repository, which differ between two places.
func contents(p undotest.Picture) undotest.Picture {
	out := undotest.Picture{}
	for path, text := range p {
		if path != ".git" && filepath.Dir(path) != ".git" && !strings.HasPrefix(path, ".git/") {
			out[path] = withoutTime(text)
		}
	}
	return out
}

// withoutTime removes the time at the end of the description of a file.
func withoutTime(text string) string {
	if len(text) == 0 || text[0] != '-' || text[1] == '>' {
		return text
	}
	for i := len(text) - 1; i > 0; i-- {
		if text[i] == ' ' {
			return text[:i]
		}
	}
	return text
}

// TestBesideKilled has a session that is killed in a command while another one works: changes that the killed one may have made
// are not taken back with those of the other.
func TestBesideKilled(t *testing.T) {
	t.Parallel()
	p := newPlace(t, repository+"; mkdir ../outside; echo mine >mine; echo next >next")
	run, err := p.recorder.Begin(t.Context(), store.Header{Kind: store.Call, Title: "long"}, undo.Scope{Anywhere: true})
	if err != nil {
		t.Fatal(err)
	}
	p.sh(t, "echo x >mine")
	p.passTime(t)
	die(t, p)
	edit, err := p.recorder.Begin(t.Context(), store.Header{Kind: store.Call, Title: "edit"}, undo.Scope{Paths: []string{filepath.Join(p.dir, "exec")}})
	if err != nil {
		t.Fatal(err)
	}
	p.sh(t, "echo edit >exec; echo late >next")
	if _, err := edit.End(t.Context()); err != nil {
		t.Fatal(err)
	}
	o, err := run.End(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range o.Changes {
		name := strings.TrimPrefix(c.Path, p.dir+"/")
		if c.IsShared != (name != "mine") {
			t.Errorf("%s is shared: %v", name, c.IsShared)
		}
	}
	if want := []string{"second (in another session)"}; !slices.Contains(o.Beside, want[0]) {
		t.Errorf("beside %q, want %q", o.Beside, want)
	}
	o = p.run(t, "echo x >next")
	if got := changed(p, o); !slices.Equal(got, []string{"next"}) || o.Changes[0].IsShared || len(o.Beside) > 0 {
		t.Errorf("changes %+v, beside %q", o.Changes, o.Beside)
	}
	list, _, err := p.store.List()
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(list, func(h store.Header) bool { return h.Title == "second" })
	if at < 0 {
		t.Fatalf("the run that was killed is not recorded: %+v", list)
	}
	killed, err := p.store.Read(list[at].Number)
	if err != nil {
		t.Fatal(err)
	}
	if got := changed(p, killed); slices.Contains(got, "mine") || slices.Contains(got, "exec") || !slices.Contains(got, "x/y") {
		t.Errorf("the run that was killed has changed %q", got)
	}
	for _, c := range killed.Changes { // "next" was changed when both may have done it, and is recorded by both
		if strings.HasSuffix(c.Path, "/next") && !c.IsShared {
			t.Errorf("%+v is not shared", c)
		}
	}
}
