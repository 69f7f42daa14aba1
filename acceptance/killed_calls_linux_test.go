package acceptance

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"pollux/internal/process/processtest"
)

// kill9 starts a run, kills it as soon as the session's file has a text and the files are there, and
// returns the words in the files, which are numbers of processes.
func kill9(t *testing.T, cmd *exec.Cmd, recorded string, files ...string) (pids []int) {
	t.Helper()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { _ = cmd.Wait(); close(ended) }() // the error is that of the kill
	processtest.WaitUntil(t, "the commands run", func() bool {
		for _, name := range files {
			if _, err := os.Stat(filepath.Join(cmd.Dir, name)); err != nil {
				return false
			}
		}
		return strings.Contains(journalOf(cmd), recorded)
	})
	for _, name := range files {
		text, err := os.ReadFile(filepath.Join(cmd.Dir, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, word := range strings.Fields(string(text)) {
			pid, err := strconv.Atoi(word)
			if err != nil || !processtest.IsRunning(pid) {
				t.Fatalf("%s has %q, which is no process", name, word)
			}
			pids = append(pids, pid)
		}
	}
	t.Cleanup(func() {
		for _, pid := range pids {
			if processtest.IsRunning(pid) {
				_ = exec.Command("kill", "-KILL", strconv.Itoa(pid)).Run()
			}
		}
	})
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-ended
	return pids
}

// journalOf returns the content of the session files of a run's home.
func journalOf(cmd *exec.Cmd) string {
	home := ""
	for _, v := range cmd.Env {
		if value, ok := strings.CutPrefix(v, "HOME="); ok {
			home = value
		}
	}
	paths, _ := filepath.Glob(filepath.Join(home, ".gemini", "tmp", "*", "chats", "session-*"))
	var all []byte
	for _, path := range paths {
		data, _ := os.ReadFile(path)
		all = append(all, data...)
	}
	return string(all)
}

// resumeKilled continues a killed run, and returns its standard error.
func resumeKilled(t *testing.T, killed *exec.Cmd) string {
	t.Helper()
	cmd := exec.Command("pollux", "--resume", "latest", "--yolo", "-p", "go on")
	cmd.Dir, cmd.Env = killed.Dir, killed.Env
	var out, text bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &text
	if err := cmd.Run(); err != nil || out.String() != "resumed\n" {
		t.Fatalf("%v: %s\n%s", err, out.String(), text.String())
	}
	return text.String()
}

// A command that runs when Pollux is killed ends with all that it has started. It is shown as
// interrupted, and neither it nor the call after it runs again.
func TestKilledInCommand(t *testing.T) {
	t.Parallel()
	cmd, _ := scripted(t, `turn
  call run_shell_command {"command": "echo ran >>log; sleep 1000 & echo $! $$ >pids.new; mv pids.new pids; wait"}
  call write_file {"file_path": "after", "content": "x"}
turn
  expect anywhere Interrupted: Pollux ended before this call did. It was cut off
  expect anywhere Interrupted: Pollux ended before this call began. It was not run.
  text resumed
`, "--yolo", "-p", "go")
	pids := kill9(t, cmd, "echo ran", "pids")
	processtest.WaitUntil(t, "the command is gone, and what it had started", func() bool {
		return !processtest.IsRunning(pids[0]) && !processtest.IsRunning(pids[1])
	})
	text := resumeKilled(t, cmd)
	if !strings.Contains(text, "Interrupted when Pollux ended, and not repeated: run_shell_command, write_file.\n") {
		t.Errorf("the person reads:\n%s", text)
	}
	log, err := os.ReadFile(filepath.Join(cmd.Dir, "log"))
	if _, after := os.Stat(filepath.Join(cmd.Dir, "after")); err != nil || string(log) != "ran\n" || after == nil {
		t.Errorf("the calls have run again: %q, %v, %v", log, err, after)
	}
}

// Background commands end with Pollux, and are reported as ended. A daemon goes on, and is listed with
// how to end it until it has ended.
func TestKilledInBackground(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip(err)
	}
	cmd, _ := scripted(t, `turn
  call run_shell_command {"command": "echo $$ >pid.new; mv pid.new pid; exec sleep 1000", "is_background": true}
  call run_shell_command {"command": "setsid sh -c 'echo $$ >daemon.new; mv daemon.new daemon; exec sleep 1000' >/dev/null 2>&1 & until [ -s daemon ]; do sleep 0.01; done"}
turn
  when not anywhere go on
  delay 10m
turn
  call list_background_processes {}
turn
  expect result list_background_processes_1 EXITED: `+"`echo $$ >pid.new"+`
  expect result list_background_processes_1 (Pollux has ended meanwhile)
  expect result list_background_processes_1 RUNNING: `+"`setsid"+`
  text resumed
turn
  text resumed
`, "--yolo", "-p", "go")
	pids := kill9(t, cmd, "Background PIDs", "pid", "daemon")
	processtest.WaitUntil(t, "the background command is gone", func() bool { return !processtest.IsRunning(pids[0]) })
	text := resumeKilled(t, cmd)
	daemon := strconv.Itoa(pids[1])
	for _, want := range []string{
		"Ended with Pollux: the background command echo $$ >pid.new; mv pid.new pid; exec sleep 1000 (PID " + strconv.Itoa(pids[0]) + ").\n",
		"Still running since Pollux ended: the background command setsid sh -c",
		"(PID " + daemon + "). To end it: kill " + daemon + "\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in:\n%s", want, text)
		}
	}
	if err := exec.Command("kill", "-KILL", daemon).Run(); err != nil {
		t.Fatal(err)
	}
	processtest.WaitUntil(t, "the daemon is gone", func() bool { return !processtest.IsRunning(pids[1]) })
	if text := resumeKilled(t, cmd); strings.Contains(text, "background command") {
		t.Errorf("it is listed again:\n%s", text)
	}
}
