//go:build linux || darwin

package shell

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"pollux/internal/process"
)

// sleeper starts a process that runs until the end of the test, or until it is killed.
func sleeper(t *testing.T) *os.Process {
	t.Helper()
	cmd := exec.Command("sleep", "1000")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _, _ = cmd.Process.Wait() }) // the test may have done it
	return cmd.Process
}

// Processes of a session that crashed are alive, but for daemons, and their end is reported.
func TestRecoverAlive(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	crashed := NewProcesses(dir)
	crashed.SetSession("mine")
	runs, daemon := sleeper(t), sleeper(t)
	crashed.note(runs.Pid, "runs", false)
	crashed.note(daemon.Pid, "daemon", true)
	ps := NewProcesses(dir)
	defer ps.Close()
	reports := make(chan struct{}, 10)
	ps.Watch(func() { reports <- struct{}{} })
	ps.SetSession("mine")
	ps.Recover()
	if got := ps.Alive(); !slices.Equal(got, []string{"runs"}) {
		t.Errorf("alive: %q", got)
	}
	if err := runs.Kill(); err != nil {
		t.Fatal(err)
	}
	_, _ = runs.Wait()
	<-reports
	if got := ps.Alive(); len(got) > 0 {
		t.Errorf("alive at last: %q", got)
	}
}

// Processes of a session that crashed are listed once they are looked for, those that run as such. A
// number that another process has now is no process of the session.
func TestRecover(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	crashed := NewProcesses(dir)
	runs, ended, daemon, reused := sleeper(t), sleeper(t), sleeper(t), sleeper(t)
	crashed.SetSession("old")
	crashed.note(runs.Pid, "runs", false)
	crashed.note(ended.Pid, "ended", false)
	crashed.note(daemon.Pid, "daemon", true)
	crashed.note(reused.Pid, "reused", false)
	crashed.SetSession("mine")
	n := crashed.notes[reused.Pid]
	n.Started = "another one"
	crashed.writeNote(n)
	for _, p := range []*os.Process{ended, daemon} {
		if err := p.Kill(); err != nil {
			t.Fatal(err)
		}
		_, _ = p.Wait() // its state is not of interest
	}
	for _, session := range []string{"", "old"} {
		other := NewProcesses(dir)
		other.SetSession(session)
		if found := other.Recover(); len(found) > 0 {
			t.Errorf("session %q has %+v", session, found)
		}
	}
	ps := NewProcesses(dir)
	ps.SetSession("mine")
	got := map[string]bool{}
	for _, p := range ps.Recover() {
		got[p.Command] = p.Exited
	}
	if len(got) != 3 || got["runs"] || !got["ended"] || !got["reused"] {
		t.Errorf("ended: %v", got)
	}
	if len(ps.List()) != 3 {
		t.Errorf("list: %+v", ps.List())
	}
	if err := runs.Kill(); err != nil {
		t.Fatal(err)
	}
	_, _ = runs.Wait()
	if p, ok := ps.findByPID(runs.Pid); !ok || !p.Exited {
		t.Errorf("its end is not seen: %+v", p)
	}
	ps.Close()
	again := NewProcesses(dir)
	again.SetSession("mine")
	if found := again.Recover(); len(found) != 1 || found[0].Command != "runs" || !found[0].Exited {
		t.Errorf("the second time: %+v", found)
	}
}

// Commands that end leave no notes. Those that end with the session are reported to the model, once, and not to the user.
func TestNotesAreRemoved(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ps := NewProcesses(dir)
	ps.note(os.Getpid(), "not recorded", false)
	ps.SetSession("mine")
	p, q := sleeper(t), sleeper(t)
	ps.note(p.Pid, "p", false)
	ps.note(q.Pid, "q", false)
	ps.forgetNote(p.Pid)
	ps.Close()
	for i, want := range []int{1, 0} {
		next := NewProcesses(dir)
		next.SetSession("mine")
		if found := next.Recover(); len(found) > 0 {
			t.Errorf("for the user: %+v", found)
		}
		ended := next.TakeEnded()
		if len(ended) != want || want == 1 && (ended[0].Command != "q" || !ended[0].IsGone || !ended[0].Exited) {
			t.Errorf("session %d, for the model: %+v", i, ended)
		}
		if again := next.TakeEnded(); len(again) > 0 {
			t.Errorf("session %d, once more: %+v", i, again)
		}
		next.Close()
	}
	if entries, _ := os.ReadDir(dir); len(entries) > 0 {
		t.Errorf("left: %v", entries)
	}
}

// Other files have no effect.
func TestBadNotes(t *testing.T) {
	t.Parallel()
	dir, outside := t.TempDir(), filepath.Join(t.TempDir(), "outside")
	pid := strconv.Itoa(os.Getpid())
	good, err := json.Marshal(note{Session: "mine", PID: os.Getpid(), Started: process.Started(os.Getpid()), Command: "x"})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"background-1.json": "", "background-2.json": "null", "background-3.json": `{"session":"mine","pid":4}`,
		"background-x.json": string(good), "other-" + pid + ".json": string(good), "background-" + pid + ".log": string(good),
		"background-5.json": `{"session":"mine","pid":5,"command":"` + string(make([]byte, maxNote)) + `"}`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(outside, good, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(dir, "background-"+pid+".json")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "background-6.json"), 0o700); err != nil {
		t.Fatal(err)
	}
	ps := NewProcesses(dir)
	ps.SetSession("mine")
	if found := ps.Recover(); len(found) > 0 {
		t.Errorf("found %+v", found)
	}
}
