package acceptance

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"pollux/internal/face/tui/tuitest"
	"pollux/internal/process/processtest"
	"pollux/internal/scriptmodel"
)

// TestLeaks checks that a process which has done much holds no more goroutines, files and child processes than one that has
// done little: prompts, questions, commands, panes, the viewer and new sessions. A plain run does 25 rounds of that, and
// POLLUX_LONG=1 does 300. Whatever is left behind in each round is found.
func TestLeaks(t *testing.T) {
	t.Parallel()
	rounds := processtest.Times(25, 300)
	few, many := holdings(t, 3), holdings(t, rounds)
	const slack = 5 // connections that wait for another request
	for name, n := range many {
		if n > few[name]+slack {
			t.Errorf("%s: %d after 3 rounds, and %d after %d", name, few[name], n, rounds)
		}
	}
	t.Log(few, many)
}

// TestMemoryOfLongAnswer checks that a list of 100,000 items that comes in pieces takes no memory for each item: the screen keeps no
// printed lines. So further lists take hardly more than those before them. POLLUX_LONG=1 runs it: shorter lists would not differ from noise.
func TestMemoryOfLongAnswer(t *testing.T) {
	if processtest.HasRaceDetector() {
		t.Skip("NOT TESTED: memory, because the race detector takes most of it")
	}
	if !processtest.IsLong() {
		t.Skip("SKIPPED: POLLUX_LONG=1 runs it")
	}
	t.Parallel()
	list := func(end string) string {
		return "turn\n" + strings.Repeat("  fill 700 \"- item\\n\"\n", 1000) + "  text \"\\n\\n" + end + "\"\n"
	}
	// Garbage hardly counts. How much of an answer waits for the terminal at most differs, most of all on a busy machine, so that two lists
	// come before the two that are measured. That difference counts once, and lines that are kept would count for each list.
	ends := []string{"The first list ends.", "The second list ends.", "The third list ends.", "The fourth list ends."}
	var all strings.Builder
	for _, end := range ends {
		all.WriteString(list(end))
	}
	s := sitAtTerminal(t, t.TempDir(), all.String(), "GOGC=10")
	show := func(ends ...string) int {
		for _, end := range ends {
			s.send("List.\r")
			s.see(end)
			s.idle()
		}
		return processtest.PeakMemory(t, s.PID())
	}
	first := show(ends[:2]...)
	if grown := show(ends[2:]...) - first; grown > 32<<10 {
		t.Errorf("after two answers of 700 KB, which take %d KB of memory, two more take %d KB more", first, grown)
	} else {
		t.Logf("%d KB, and %d KB more", first, grown)
	}
}

// holdings counts, after some rounds, goroutines by the function that they began in, open files and children.
func holdings(t *testing.T, rounds int) map[string]int {
	t.Helper()
	home := t.TempDir()
	s := sitAtTerminal(t, home, script(rounds))
	for n := range rounds {
		s.round(n)
	}
	s.Settle()
	held := map[string]int{"open files": s.countIn("fd"), "children": s.children()}
	if err := s.Signal(syscall.SIGQUIT); err != nil {
		t.Fatal(err)
	}
	if code, err := s.End(); code != 131 || err != nil {
		t.Fatalf("code %d, %v", code, err)
	}
	reports, err := filepath.Glob(filepath.Join(home, ".gemini/tmp/*/logs/*.crash.txt"))
	if err != nil || len(reports) != 1 {
		t.Fatalf("reports: %q, %v", reports, err)
	}
	report, err := os.ReadFile(reports[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`(?m)^created by (\S+)`).FindAllStringSubmatch(string(report), -1) {
		held["goroutines of "+m[1]]++
		held["goroutines"]++
	}
	if held["goroutines"] == 0 || held["open files"] == 0 {
		t.Fatalf("nothing is counted: %v", held)
	}
	return held
}

// sitting is Pollux at a terminal.
type sitting struct {
	*tuitest.Program
	t *testing.T
}

// script returns the script of a model for some rounds.
func script(rounds int) string {
	var b strings.Builder
	for n := range rounds {
		fmt.Fprintf(&b, "turn\n  call run_shell_command {\"command\": \"touch made%d\"}\nturn\n  text \"Made %d.\"\n", n, n)
	}
	return b.String()
}

// sitAtTerminal starts Pollux with a model that follows a script.
func sitAtTerminal(t *testing.T, home, script string, environ ...string) *sitting {
	t.Helper()
	work := filepath.Join(home, "work")
	if err := errors.Join(knowsPollux(home), os.Mkdir(work, 0o700)); err != nil {
		t.Fatal(err)
	}
	parsed, err := scriptmodel.Parse(script)
	if err != nil {
		t.Fatal(err)
	}
	server, err := scriptmodel.Start(parsed, scriptmodel.Options{Wires: everyWire(), Wire: "gemini"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	p, err := tuitest.Start(slices.Concat([]string{
		"env", "-i", "-C", work, "PATH=" + os.Getenv("PATH"), "HOME=" + home, "LANG=C.UTF-8", "TERM=xterm-256color", "GORACE=" + os.Getenv("GORACE"),
		"GEMINI_API_KEY=test-key", "GOOGLE_GEMINI_BASE_URL=" + server.URL(), "GEMINI_MODEL=gemini-2.5-pro", "GEMINI_CLI_TRUST_WORKSPACE=true", "GEMINI_FORCE_FILE_STORAGE=true",
	}, environ, []string{"pollux"}), 100, 30)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	s := &sitting{Program: p, t: t}
	s.see("Type your message")
	return s
}

// round uses each part of Pollux once, and ends with a new session.
func (s *sitting) round(n int) {
	s.t.Helper()
	s.send(fmt.Sprintf("Prompt %d\r", n))
	s.see("Allow once")
	s.send("1")
	s.see(fmt.Sprintf("Made %d.", n))
	s.idle()
	s.send("/settings\r")
	s.see("Apply To")
	s.send("\x1b")
	s.idle()
	s.send("\x0f")
	s.see("q close")
	s.send("q")
	s.idle()
	s.send(fmt.Sprintf("!echo said$((%d + 5000))\r", n))
	s.see(fmt.Sprint("said", n+5000))
	s.see("Type your shell command")
	s.send("\x1b")
	s.idle()
	s.send("/clear\r")
	s.unsee("q close", "Made")
	s.idle()
}

func (s *sitting) send(keys string) {
	s.t.Helper()
	if err := errors.Join(s.AwaitQuestion(), s.Send(keys)); err != nil {
		s.t.Fatal(err)
	}
}

// see waits until a text is on the screen.
func (s *sitting) see(text string) {
	s.t.Helper()
	s.until(text, func(screen string) bool { return strings.Contains(screen, text) })
}

// unsee waits until none of the texts is on the screen.
func (s *sitting) unsee(texts ...string) {
	s.t.Helper()
	for _, text := range texts {
		s.until("no "+text, func(screen string) bool { return !strings.Contains(screen, text) })
	}
}

// idle waits until the input is empty and nothing is at work.
func (s *sitting) idle() {
	s.t.Helper()
	s.until("an idle input", func(screen string) bool {
		return strings.Contains(screen, "Type your message") && !strings.Contains(screen, "to cancel")
	})
}

func (s *sitting) until(what string, is func(screen string) bool) {
	s.t.Helper()
	if err := s.Wait(func(rows []string) bool { return is(strings.Join(rows, "\n")) }); err != nil {
		s.t.Fatalf("%s: %v\n%s", what, err, strings.Join(s.Screen(), "\n"))
	}
}

// countIn returns the number of entries in a directory of the process.
func (s *sitting) countIn(dir string) int {
	s.t.Helper()
	entries, err := os.ReadDir(fmt.Sprintf("/proc/%d/%s", s.PID(), dir))
	if err != nil {
		s.t.Fatal(err)
	}
	return len(entries)
}

// children returns the number of child processes.
func (s *sitting) children() (n int) {
	s.t.Helper()
	lists, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", s.PID()))
	if err != nil {
		s.t.Fatal(err)
	}
	for _, list := range lists {
		data, err := os.ReadFile(list)
		if err == nil { // else the thread has ended
			n += len(strings.Fields(string(data)))
		}
	}
	return n
}
