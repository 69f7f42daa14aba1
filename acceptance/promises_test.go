package acceptance

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"pollux/internal/process/processtest"
)

// promise is a promise of the terminal user interface, and its holders: scripts of TestScreen by their name, such as
// "early", and tests and benchmarks by their directory and name, such as "bench BenchmarkTerminal". Promises about time have a
// benchmark, whose figures docs/performance.md has, because no test asserts times.
type promise struct {
	name   string
	text   string
	heldBy []string
}

// promises are the promises of the terminal, and then the input that must not harm it.
var promises = []promise{
	{"P1", "the first screen comes within 50 ms, and keys before it are not lost", []string{"bench BenchmarkTerminal", "bad_keys", "panes_early"}},
	{"P2", "a key is on the screen at once", []string{"bench BenchmarkTerminal", "internal/face/tui/inline BenchmarkKey"}},
	{"P3", "also while an answer and the output of a command come", []string{"bench BenchmarkTerminal", "shell_flood"}},
	{"P4", "a key costs few bytes", []string{"internal/face/tui/inline TestBytesOfKey", "bench BenchmarkTerminal"}},
	{"P5", "nothing is written while nothing changes", []string{"internal/face/tui/inline TestNothingChanges", "bench BenchmarkTerminal"}},
	{"P6", "an answer costs few bytes more than its text", []string{"internal/face/tui/inline TestPrintMoves", "bench BenchmarkTerminal"}},
	{"P7", "the input is never blank, and the screen is never cleared", []string{"frames", "internal/face/tui/inline TestClear", "internal/face/tui/tuitest TestModes"}},
	{"P8", "the scrollback is the conversation", []string{". TestScrollback", ". TestTmux", "internal/face/tui/inline TestWholeScreen", "internal/face/tui/inline TestTmux", "first"}},
	{"P9", "a long history changes nothing", []string{"bench BenchmarkResume", ". TestMemoryOfLongAnswer", "bad_long"}},
	{"P10", "a big paste is accepted at once", []string{"bench BenchmarkTerminal", "bad_keys", "paste"}},
	{"P11", "a command without end does not hold up the keys", []string{"shell_flood", "internal/face/tui/transcript BenchmarkOutput"}},
	{"P12", "Esc stops the model at once", []string{"cancel", "bench BenchmarkTerminal"}},
	{"P13", "the terminal is as before after each kind of end", []string{
		"signal_term", "signal_hup", "signal_quit", "signal_stop", "bad_panic", "killed", "internal/terminal TestConsole", "internal/face/tui/tuitest TestModes",
	}},
	{"P14", "a changed window has one input, and no part twice", []string{"bad_sizes", "resize", ". TestTmux", "internal/face/tui/inline TestTmux"}},
	{"P15", "all kinds of terminals show the same", []string{"terms", "bad_dumb", ". TestTmux"}},
	{"P16", "hostile text reaches nothing but the eyes", []string{"bad_answers", "hostile", "acceptance/hostile TestHostile", "internal/face/tui/inline FuzzLine"}},
	{"P17", "copied code is the source", []string{". TestCodeIsCopied", "copy", "full_copy"}},
	{"P18", "the cursor is where the next letter appears", []string{"frames", "internal/face/tui/inline TestWholeScreen", "internal/face/tui/composer TestAnyKeys", "chinese"}},
	{"P19", "a screen reader gets lines alone", []string{"screen_reader"}},
	{"P20", "each key counts in each encoding", []string{"internal/face/tui/keys TestEveryChord", "internal/face/tui/keys TestDefaultChords"}},
	{"P21", "nothing is said by color alone", []string{"internal/face/tui/gallery TestScreens", "internal/face/tui/theme TestPlainStyles"}},
	{"P22", "nothing is left behind", []string{". TestLeaks"}},

	{"escapes", "answers full of escapes", []string{"bad_answers", "hostile", "internal/terminal FuzzStrip"}},
	{"false dialogs", "text that imitates a question", []string{"bad_answers"}},
	{"long lines", "a line of 10 MB, and 100,000 items of a list", []string{"bad_long", ". TestMemoryOfLongAnswer"}},
	{"broken Markdown", "Markdown that is cut or nested without end", []string{"bad_answers", "internal/face/tui/markdown FuzzParser"}},
	{"flags", "an emoji flag in the last column", []string{"bad_answers", "internal/face/tui/inline TestTooSmall"}},
	{"one cell", "a terminal of one cell", []string{"bad_sizes", "internal/face/tui/inline TestTooSmall"}},
	{"storms", "many changes of the window within a second", []string{"bad_sizes", "resize"}},
	{"dumb terminals", "a terminal that cannot move its cursor", []string{"bad_dumb"}},
	{"no terminal", "closed files, and a process without a terminal", []string{"bad_no_terminal"}},
	{"signals", "a hang-up, a stop and what continues it", []string{"signal_hup", "signal_stop"}},
	{"held keys", "a key that is held for a minute, and a paste of 5 MB", []string{"bad_keys"}},
	{"early keys", "keys before the screen, or a question, is there", []string{"bad_keys", "early", "panes_early"}},
	{"fast Enter", "Enter in a paste that is not marked as one", []string{"bad_enter", "internal/face/tui/keys TestGuard"}},
	{"blocked output", "a terminal that takes no output", []string{"bad_blocked", "internal/terminal TestConsoleStopped"}},
	{"odd answers", "a terminal that answers no query, late, or garbage", []string{"bad_terminals"}},
	{"bugs", "a panic while the screen is in use", []string{"bad_panic", "internal/cli TestCrash"}},
	{"kill -9", "a kill, with a draft", []string{"killed", ". TestChaos"}},
}

// TestPromises checks that each promise has holders, and that all of them are there.
func TestPromises(t *testing.T) {
	t.Parallel()
	processtest.SkipIfRacing(t)
	numbered := 0
	seen := map[string]bool{}
	for _, p := range promises {
		if n, err := strconv.Atoi(strings.TrimPrefix(p.name, "P")); err == nil {
			if numbered++; n != numbered {
				t.Errorf("%s comes after P%d", p.name, numbered-1)
			}
		}
		if seen[p.name] {
			t.Errorf("%s is there twice", p.name)
		}
		seen[p.name] = true
		if len(p.heldBy) == 0 {
			t.Errorf("%s: nothing holds it: %s", p.name, p.text)
		}
		for _, holder := range p.heldBy {
			if !isThere(t, holder) {
				t.Errorf("%s: there is no %s", p.name, holder)
			}
		}
	}
	if numbered != 22 {
		t.Errorf("there are %d numbered promises", numbered)
	}
}

// isThere reports whether there is a script, or a test or benchmark, by its name in promises.
func isThere(t *testing.T, holder string) bool {
	t.Helper()
	dir, name, isTest := strings.Cut(holder, " ")
	if !isTest {
		_, err := os.Stat(filepath.Join("tui", holder+".txtar"))
		return err == nil
	}
	if dir != "." {
		dir = filepath.Join("..", dir)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	declaration := regexp.MustCompile(`(?m)^func ` + regexp.QuoteMeta(name) + `\(`)
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if declaration.Match(source) {
			return true
		}
	}
	return false
}

// TestEveryBadScriptIsHeld checks that each script about bad input is in the table.
func TestEveryBadScriptIsHeld(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("tui/bad_*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	held := map[string]bool{}
	for _, p := range promises {
		for _, holder := range p.heldBy {
			held[holder] = true
		}
	}
	for _, file := range files {
		if name := strings.TrimSuffix(filepath.Base(file), ".txtar"); !held[name] {
			t.Errorf("%s holds no promise", name)
		}
	}
}
