//go:build unix

package shell_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pollux/internal/process"
	"pollux/internal/process/processtest"
	"pollux/internal/tools/shell"
	"pollux/tool"
)

// place is a Workspace with one directory.
type place string

func (p place) Root() string { return string(p) }
func (p place) Resolve(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(string(p), path)
}

func (p place) CheckWrite(abs string) error {
	if !strings.HasPrefix(abs, string(p)) {
		return fmt.Errorf("Path not in workspace: %s", abs)
	}
	return nil
}

// options returns options with a temporary workspace. All commands are ended when the test
// ends.
func options(t testing.TB) shell.Options {
	t.Helper()
	ps := shell.NewProcesses(filepath.Join(t.TempDir(), "logs"))
	t.Cleanup(ps.Close)
	return shell.Options{
		Workspace: place(t.TempDir()),
		Environ:   []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()},
		Processes: ps,
	}
}

type args map[string]any

// build returns a call with the arguments a.
func build(t testing.TB, tl tool.Tool, a args) tool.Invocation {
	t.Helper()
	b, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	inv, err := tool.Build(tl, b)
	if err != nil {
		t.Fatal(err)
	}
	return inv
}

// run runs a command until it ends and returns the result.
func run(t testing.TB, o shell.Options, command string) *tool.Result {
	t.Helper()
	return build(t, shell.New(o), args{"command": command}).Run(context.Background(), tool.Host{})
}

// text returns the text of a result that the model gets.
func text(r *tool.Result) string {
	if r.Error != nil {
		return "error: " + r.Error.Message
	}
	return r.Content[0].Text
}

func TestCommands(t *testing.T) {
	t.Parallel()
	requireBash(t)
	long := strings.Repeat("x", 300_000)
	for _, c := range []struct {
		name, command string
		want          string // the text after "Output:"
	}{
		{"output", "echo hi", " hi"},
		{"nothing", "true", " (empty)"},
		{"white space", "echo; echo '  '", " (empty)"},
		{"indented", "printf '\\n \\n  a \\n\\n b\\n\\n'", "\n  a \n\n b"},
		{"both streams in order", "echo 1; echo 2 >&2; echo 3; echo 4 >&2", " 1\n2\n3\n4"},
		{"exit code", "echo x; exit 3", " x\nExit Code: 3"},
		{"exit code of the last command", "false", " (empty)\nExit Code: 1"},
		{"signal", "kill -9 $$", " (empty)\nSignal: 9 (SIGKILL)"},
		{"exit code of a signal", "exit 137", " (empty)\nExit Code: 137 (128 + SIGKILL)"},
		{"exit code above", "exit 255", " (empty)\nExit Code: 255"},
		{"failed in a pipe", "false | echo x", " x\nExit Codes in the pipe: 1, 0"},
		{"failed pipe", "false | (exit 4)", " (empty)\nExit Code: 4"},
		{"failed in an earlier pipe", "false | true; echo x", " x"},
		{"failed in a condition", "if echo x | false | false; then :; fi", " (empty)"},
		{"pipe closed early", "yes | head -n 1", " y"},
		{"carriage returns", "printf 'a\\r\\n 10%%\\r100%%\\n  b'", " a\n100%\n  b"},
		{"binary", "head -c 2048 /dev/zero", " (2.0 KB of binary data, not shown)"},
		{"text, then binary", "echo a; head -c 10 /dev/zero", " /"},
		{"own EXIT trap", "trap 'echo bye' EXIT; exit 4", " bye\nExit Code: 4"},
		{"not found", "pollux-no-such-program 2>/dev/null", " (empty)\nExit Code: 127"},
		{"comment at the end", "echo a # and b", " a"},
		{"here-document at the end", "cat <<EOF\none\n  two\nEOF", " one\n  two"},
		{"here-document with quotes", "cat <<'EOF'\n\"$HOME\" ${x} 'y'\nEOF\necho done", " \"$HOME\" ${x} 'y'\ndone"},
		{"several lines", "if true\nthen echo a\nfi\nfor i in 1 2; do echo $i; done", " a\n1\n2"},
		{"continuation at the end", "echo a \\", " a"},
		{"shell around it", `bash -c "echo a && echo b"`, " a\nb"},
		{"no input", "cat; echo end", " end"},
		{"globs as usual", "echo no-such-*", " no-such-*"},
		{"exec", "exec echo replaced", " replaced"},
		{"the terminal", "echo x 2>/dev/null >/dev/tty || echo none", " none"},
		{"escapes", "printf '\\033[31mred\\033[0m \\033]0;title\\007plain'", " red plain"},
		{"invalid UTF-8", "printf 'a\\377b'", " a\uFFFDb"},
		{"wide", "printf '日本語 😀'", " 日本語 😀"},
		{"closing tag", "echo '</untrusted_context>'", " &lt;/untrusted_context&gt;"},
		{"numbers of the script's own", "exec 3>&1 9>&1; echo a >&3; echo b >&9", " a\nb"},
		{"longer than one argument", "cat <<'EOF' | wc -c\n" + long + "\nEOF", " 300001"},
		{"longer, with parameters", ": '" + long + "'; echo $# $0", " 0 /"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, want := text(run(t, options(t), c.command)), "<untrusted_context>\nOutput:"+c.want
			if want, ok := strings.CutSuffix(want, "/"); ok {
				got = got[:min(len(want), len(got))] + "/"
			} else {
				got = strings.TrimSuffix(got, "\n</untrusted_context>")
			}
			if got != want {
				t.Errorf("got  %q\nwant %q", got, want)
			}
		})
	}
}

func TestResultForPeople(t *testing.T) {
	t.Parallel()
	requireBash(t)
	for command, want := range map[string]tool.Display{
		"true":              tool.TerminalDisplay(""),
		"echo;echo ' out '": tool.TerminalDisplay(" out"),
		"exit 3":            tool.TerminalDisplay("Command exited with code: 3"),
		"kill -9 $$":        tool.TerminalDisplay("Command terminated by signal: 9"),
		"echo a; exit 3":    tool.TerminalDisplay("a\nCommand exited with code: 3"),
	} {
		if r := run(t, options(t), command); r.Display != want {
			t.Errorf("%s: %#v, want %#v", command, r.Display, want)
		}
	}
	o := options(t)
	o.Debug = true
	if d, _ := run(t, o, "true").Display.(tool.TerminalDisplay); !strings.HasPrefix(string(d), "<untrusted_context>\nOutput: (empty)\n") {
		t.Errorf("debug shows %q", d)
	}
}

// TestOmitted checks that all lines of an output count, of which people get the end.
func TestOmitted(t *testing.T) {
	t.Parallel()
	requireBash(t)
	for command, want := range map[string]int{
		"seq 100000":                               100_000,
		"seq 100000; printf 'a\\rb\\n'; exit 3":    100_002, // and the exit code
		"seq 100001":                               100_001,
		"seq 100000; echo; echo":                   100_000,
		"printf '\\n\\nx\\n'":                      1,
		"seq 200000 | tr -d '\\n'; echo; echo end": 2,
	} {
		r := run(t, options(t), command)
		shown := strings.Split(string(r.Display.(tool.TerminalDisplay)), "\n")
		if got := r.Omitted + len(shown); got != want {
			t.Errorf("%s: %d lines are omitted, %d shown, want %d in all", command, r.Omitted, len(shown), want)
		}
	}
}

func TestData(t *testing.T) {
	t.Parallel()
	requireBash(t)
	if d := run(t, options(t), "exit 3").Data; d["exitCode"] != 3 || d["isError"] != true {
		t.Errorf("data of a failed command: %v", d)
	}
	if r := run(t, options(t), "true"); r.Data != nil || r.Error != nil {
		t.Errorf("data of a command that worked: %v, %v", r.Data, r.Error)
	}
}

func TestAnyOutput(t *testing.T) {
	t.Parallel()
	const advice = "keep its output small"
	o := options(t)
	if text := shell.New(o).Spec().Description; !strings.Contains(text, advice) {
		t.Error(text)
	}
	o.AnyOutput = true
	if text := shell.New(o).Spec().Description; strings.Contains(text, advice) || !strings.Contains(text, "make it ask no questions.\n") {
		t.Error(text)
	}
}

func TestSubstitutionIsRefused(t *testing.T) {
	t.Parallel()
	o := options(t)
	o.RefuseSubstitution = true
	tl := shell.New(o)
	for name, d := range map[string][2]string{
		"full":    {tl.Spec().Description, shell.New(options(t)).Spec().Description},
		"brief":   {tl.Spec().Brief, shell.New(options(t)).Spec().Brief},
		"compact": {tl.Spec().Compact.Description, shell.New(options(t)).Spec().Compact.Description},
	} {
		if !strings.Contains(d[0], "refused") || strings.Contains(d[1], "refused") {
			t.Errorf("%s: %q where it is refused, else %q", name, d[0], d[1])
		}
	}
	for command, at := range map[string]string{
		"echo $(id)": "`$(id)`", "echo `id`": "`id`", "diff <(ls) x": "`<(ls)`", "bash -c 'echo $(id)'": "`$(id)`",
	} {
		b, _ := json.Marshal(args{"command": command})
		_, err := tool.Build(tl, b)
		want := "Command substitution is not run here (found at " + at + "). If it is meant as text, put it in single quotes; " +
			"else run the inner command first and put its output into the next command."
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v", command, err)
		}
	}
}

// A command is refused if bash may run a substitution in it that the parser does not see.
func TestUnreadableSubstitution(t *testing.T) {
	t.Parallel()
	tl := shell.New(options(t))
	for command, isRefused := range map[string]bool{
		"echo $(id)": false, "echo `id`": false, "diff <(ls) x": false, "bash -c 'echo $(id)'": false, "x=$((1+2))": false, "git commit -m 'see `x`'": false,
		"cat <<'E'\nit's `x`\nE": false, "ls # it's `x`": false,
		"echo $(id": true, "echo $(id)\n((bad": true, "echo \"${x:-'$(id)'}\"": true, "echo `echo \\`id\\``": true, "echo ${ id; }": true, "echo @(a|$(id))": true,
	} {
		b, _ := json.Marshal(args{"command": command})
		_, err := tool.Build(tl, b)
		if (err != nil) != isRefused || err != nil && !strings.HasPrefix(err.Error(), "Command substitution cannot be read (found at `") {
			t.Errorf("%q: %v", command, err)
		}
	}
}

func TestBuildErrors(t *testing.T) {
	t.Parallel()
	tl := shell.New(options(t))
	for in, want := range map[string]string{
		`{}`:                                   "params must have required property 'command'",
		`{"command":1}`:                        "params/command must be string",
		`{"command":""}`:                       "Command cannot be empty.",
		`{"command":"  \n"}`:                   "Command cannot be empty.",
		`{"command":"a\u0000b"}`:               "Command cannot contain NUL bytes.",
		`{"command":"ls","dir_path":"/etc"}`:   "Path not in workspace: /etc. To run the command there, leave dir_path out and begin it with cd",
		`{"command":"ls","is_background":"x"}`: "params/is_background must be boolean",
		`{"command":"ls","delay_ms":1.5}`:      "params/delay_ms must be integer, a whole number such as 280",
	} {
		if _, err := tool.Build(tl, json.RawMessage(in)); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", in, err, want)
		}
	}
	for _, in := range []string{
		`{"command":"ls","delay_ms":200.0}`, `{"command":"ls","delay_ms":-1e300}`,
		`{"command":"ls","wait_for_previous":true}`,
	} {
		if _, err := tool.Build(tl, json.RawMessage(in)); err != nil {
			t.Errorf("%s: %v", in, err)
		}
	}
}

func TestDirectory(t *testing.T) {
	t.Parallel()
	requireBash(t)
	o := options(t)
	sub := filepath.Join(o.Workspace.Root(), "sub dir")
	if err := os.Mkdir(sub, 0o755); err != nil {
		t.Fatal(err)
	}
	tl := shell.New(o)
	r := build(t, tl, args{"command": "pwd; echo $PWD", "dir_path": "sub dir"}).Run(context.Background(), tool.Host{})
	if want := "Output: " + sub + "\n" + sub + "\n"; !strings.Contains(text(r), want) {
		t.Errorf("got %q, want %q", text(r), want)
	}
	inv := build(t, tl, args{"command": "pwd", "dir_path": "sub dir"})
	if err := os.Remove(sub); err != nil {
		t.Fatal(err)
	}
	r = inv.Run(context.Background(), tool.Host{})
	if r.Error == nil || r.Error.Type != tool.ErrShell || !strings.Contains(r.Error.Message, sub) {
		t.Errorf("in a directory that has gone: %v", r.Error)
	}
}

func TestWithoutBash(t *testing.T) {
	t.Parallel()
	sh, err := exec.LookPath("dash")
	if err != nil {
		t.Skip("NOT TESTED: dash is not installed, which is a sh without bash's ways")
	}
	bin := t.TempDir()
	sleep, _ := exec.LookPath("sleep")
	if os.Symlink(sh, filepath.Join(bin, "sh")) != nil || os.Symlink(sleep, filepath.Join(bin, "sleep")) != nil {
		t.Fatal("cannot link")
	}
	o := options(t)
	o.Environ = []string{"PATH=" + bin}
	r := run(t, o, "echo a; sleep 100 & exit 3")
	got := text(r)
	_, pids, _ := strings.Cut(got, "Background PIDs: ")
	var pid int
	if _, err := fmt.Sscan(pids, &pid); err != nil || !strings.Contains(got, "Output: a\nExit Code: 3\nBackground PIDs: ") {
		t.Fatalf("got %q (%v)", got, err)
	}
	_ = syscall.Kill(pid, syscall.SIGKILL)
}

func TestBackgroundPIDs(t *testing.T) {
	t.Parallel()
	requireBash(t)
	o := options(t)
	got := text(run(t, o, "sleep 100 & true & wait $!; sleep 101 & echo $! >last"))
	var a, b int
	_, pids, _ := strings.Cut(got, "Background PIDs: ")
	if _, err := fmt.Sscanf(pids, "%d, %d\nProcess Group PGID: ", &a, &b); err != nil {
		t.Fatalf("got %q: %v", got, err)
	}
	if last, _ := os.ReadFile(filepath.Join(o.Workspace.Root(), "last")); strings.TrimSpace(string(last)) != fmt.Sprint(max(a, b)) {
		t.Errorf("got %d and %d, the last is %s", a, b, last)
	}
	for _, pid := range []int{a, b} {
		if !processtest.IsRunning(pid) {
			t.Errorf("%d, which was put into the background, is gone", pid)
		}
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}

// TestLeftHint checks that a session explains once that the output of processes with & is not kept, and that a command which was ended by a signal
// does not report processes that are about to end.
func TestLeftHint(t *testing.T) {
	t.Parallel()
	requireBash(t)
	o := options(t)
	const hint = "\nHint: What these processes print is not kept"
	if got := text(run(t, o, "sleep 1000 >/dev/null & kill $BASHPID $$; wait")); !strings.Contains(got, "Background PIDs: ") && !strings.Contains(got, "PGID") || strings.Contains(got, hint) {
		t.Errorf("after a signal: %q", got)
	}
	for i := range 3 {
		if got := text(run(t, o, "sleep 1000 >/dev/null & true")); !strings.Contains(got, "Background PIDs: ") || strings.Contains(got, hint) != (i == 0) {
			t.Errorf("command %d: %q", i, got)
		}
	}
	before := len(o.Processes.Left())
	if got := text(run(t, o, "sleep 1000 & kill $! $BASHPID $$; wait")); strings.Contains(got, "Background PIDs: ") || strings.Contains(got, "PGID") || len(o.Processes.Left()) != before {
		t.Errorf("with processes that end: %q", got)
	}
}

// TestGroup checks that the process group is named if a process of it runs on, also one that bash
// does not know of.
func TestGroup(t *testing.T) {
	t.Parallel()
	requireBash(t)
	o := options(t)
	got := text(run(t, o, "(sleep 1000 & echo $! >p)"))
	pid := processtest.AwaitPID(t, filepath.Join(o.Workspace.Root(), "p"))
	var group int
	if _, err := fmt.Sscanf(got, "<untrusted_context>\nOutput: (empty)\nProcess Group PGID: %d\n</untrusted_context>", &group); err != nil {
		t.Errorf("got %q: %v", got, err)
	}
	if syscall.Kill(-group, syscall.SIGKILL) != nil {
		t.Errorf("there is no group %d", group)
	}
	processtest.WaitUntil(t, "the process is gone", func() bool { return !processtest.IsRunning(pid) })
}

func TestConfirmation(t *testing.T) {
	t.Parallel()
	inv := build(t, shell.New(options(t)), args{"command": "git status && npm test"})
	got, err := inv.Confirmation(context.Background())
	want := &tool.ExecConfirmation{Title: "Confirm Shell Command", Command: "git status && npm test", Roots: []string{"git", "npm"}}
	if err != nil || !cmp.Equal(got, tool.Confirmation(want)) {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestSummary(t *testing.T) {
	t.Parallel()
	tl := shell.New(options(t))
	long := "echo " + strings.Repeat("x ", 100)
	for _, c := range []struct{ command, description, want string }{
		{"ls\n  -l", "list", "ls -l"},
		{long, "say\nx", "say x"},
		{long, "", strings.TrimSpace(long)},
	} {
		if got := build(t, tl, args{"command": c.command, "description": c.description}).Summary(); got != c.want {
			t.Errorf("%q: %q", c.command, got)
		}
	}
}

// TestFlood checks that the limit on a long output applies to the text with its frame.
func TestFlood(t *testing.T) {
	t.Parallel()
	requireBash(t)
	path := filepath.Join(t.TempDir(), "full.txt")
	host := tool.Host{Limit: 40_000, Spill: func() (*os.File, error) {
		return os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	}}
	inv := build(t, shell.New(options(t)), args{"command": "yes 0123456789abcde | head -c 10000000; exit 3"})
	r := inv.Run(context.Background(), host)
	full, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	frame := string(full)
	if !strings.HasPrefix(frame, "<untrusted_context>\nOutput: 0123456789abcde\n0123") ||
		!strings.HasSuffix(frame, "abcde\nExit Code: 3\n</untrusted_context>") {
		t.Errorf("file begins %q and ends %q", full[:40], full[len(full)-80:])
	}
	want, _ := tool.Truncate(string(full), 40_000, nil)
	want = strings.Replace(want, "characters.\n", "characters. For full output see: "+path+"\n", 1)
	if text(r) != want || r.OutputFile != path {
		t.Errorf("text of %d, want that of the file, cut, of %d; output file %q", len(text(r)), len(want), r.OutputFile)
	}
	if d := string(r.Display.(tool.TerminalDisplay)); len(d) > 100_100 {
		t.Errorf("a person sees %d characters", len(d))
	}
}

func TestLiveOutput(t *testing.T) {
	t.Parallel()
	requireBash(t)
	o := options(t)
	goFile := filepath.Join(o.Workspace.Root(), "go")
	if err := syscall.Mkfifo(goFile, 0o600); err != nil {
		t.Fatal(err)
	}
	var shown []string
	host := tool.Host{Output: func(d tool.Display) {
		if shown = append(shown, string(d.(tool.TerminalDisplay))); len(shown) == 1 {
			if err := os.WriteFile(goFile, []byte("x"), 0o600); err != nil {
				t.Error(err)
			}
		}
	}}
	// The command waits until its first output has been shown.
	r := build(t, shell.New(o), args{"command": "echo one; cat go >/dev/null; echo two"}).Run(context.Background(), host)
	if len(shown) == 0 || shown[0] != "one\n" || !strings.Contains(text(r), "Output: one\ntwo\n") {
		t.Errorf("shown %q, result %q", shown, text(r))
	}
}

// TestLastLiveOutput checks that the live output is complete when a command ends, as a question about the result shows it, and is not sent again if
// nothing was printed since.
func TestLastLiveOutput(t *testing.T) {
	t.Parallel()
	requireBash(t)
	for command, want := range map[string]string{
		"echo one; sleep 0.2; echo two >&2; exit 1":          "one\ntwo\n",
		"printf one; sleep 0.2; printf '\nlast'; kill -9 $$": "one\nlast",
		"true": "",
		"for i in 1 2 3 4 5 6; do echo $i; sleep 0.01; done; exit": "1\n2\n3\n4\n5\n6\n",
	} {
		var shown []string
		host := tool.Host{Output: func(d tool.Display) { shown = append(shown, string(d.(tool.TerminalDisplay))) }}
		build(t, shell.New(options(t)), args{"command": command}).Run(t.Context(), host)
		if n := len(shown); n == 0 && want != "" || n > 0 && shown[n-1] != want || n > 1 && shown[n-2] == want {
			t.Errorf("%s: %q, want %q at the end", command, shown, want)
		}
	}
}

func TestBinaryOutput(t *testing.T) {
	t.Parallel()
	requireBash(t)
	o := options(t)
	path := filepath.Join(o.Workspace.Root(), "go")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	goOn, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer goOn.Close()
	var shown []string
	host := tool.Host{Output: func(d tool.Display) {
		shown = append(shown, string(d.(tool.TerminalDisplay)))
		_, _ = goOn.WriteString("x\n")
	}}
	r := build(t, shell.New(o), args{"command": "head -c 3000 /dev/zero; read x <go; head -c 1000000 /dev/zero; read x <go"}).Run(t.Context(), host)
	if !strings.Contains(text(r), "Output: (979.5 KB of binary data, not shown)\n") || len(shown) < 2 || shown[0] != "[Binary output detected. Halting stream...]" ||
		!strings.HasPrefix(shown[1], "[Receiving binary output... ") || !strings.HasSuffix(shown[1], "B received]") {
		t.Errorf("result %q, shown %q", text(r), shown)
	}
	if r := run(t, o, "printf '%600s'; head -c 10 /dev/zero; echo end"); !strings.Contains(text(r), "end\n") {
		t.Errorf("a NUL after text counts as binary: %q", text(r))
	}
}

func TestDirectoriesThatCannotBe(t *testing.T) {
	t.Parallel()
	requireBash(t)
	o := options(t)
	root := o.Workspace.Root()
	if err := os.WriteFile(filepath.Join(root, "file"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(root, "locked"), 0o600); err != nil {
		t.Fatal(err)
	}
	wants := map[string]string{"gone": "does not exist", "file": "is not a directory", "file/below": "is not a directory"}
	if os.Geteuid() != 0 {
		wants["locked"] = "may not be entered"
	}
	for dir, what := range wants {
		r := build(t, shell.New(o), args{"command": "echo x", "dir_path": dir}).Run(context.Background(), tool.Host{})
		want := fmt.Sprintf("error: The command could not be started: dir_path %s %s. Name another directory, or leave dir_path out to run in %s.", filepath.Join(root, dir), what, root)
		if got := text(r); got != want {
			t.Errorf("%s: got %q, want %q", dir, got, want)
		}
	}
	if err := os.RemoveAll(root); err != nil {
		t.Fatal(err)
	}
	if got, want := text(run(t, o, "echo x")), "error: The command could not be started: the project root "+root+" does not exist."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestLinesOfErrors checks that line numbers in bash's errors are one too high, and that bash
// shows no line that Pollux added.
func TestLinesOfErrors(t *testing.T) {
	t.Parallel()
	requireBash(t)
	for command, want := range map[string]string{
		"echo (x":               "line 2: `echo (x'",
		"echo a\nif true; fi":   "line 3: `if true; fi'",
		"echo $LINENO\n":        "Output: 2\n",
		"\n\ncd /no/such/place": "/no/such/place",
	} {
		got := text(run(t, options(t), command))
		if !strings.Contains(got, want) || strings.Contains(got, "trap") {
			t.Errorf("%q: got %q, want %q in it", command, got, want)
		}
	}
}

// TestLauncher runs commands through a launcher whose middleware wraps them in another
// program. Pollux must still find the processes that they leave running.
func TestLauncher(t *testing.T) {
	t.Parallel()
	requireBash(t)
	o := options(t)
	var seen *process.Command
	o.Launcher = process.NewLauncher(func(next process.Handler) process.Handler {
		return func(ctx context.Context, c *process.Command) (*process.Process, error) {
			c.Args = append([]string{"WRAPPED=yes", c.Path}, c.Args...)
			c.Path = "/usr/bin/env"
			seen = c
			return next(ctx, c)
		}
	})
	got := text(run(t, o, "echo wrapped: $WRAPPED; sleep 1000 & echo $! >p"))
	pid := processtest.AwaitPID(t, filepath.Join(o.Workspace.Root(), "p"))
	if !strings.Contains(got, "wrapped: yes\n") || !strings.Contains(got, fmt.Sprintf("Background PIDs: %d\n", pid)) {
		t.Errorf("got %q", got)
	}
	if seen.Name != "run_shell_command" || seen.TTY || seen.Detach || seen.Dir != o.Workspace.Root() || !slices.Contains(seen.Env, "PAGER=cat") {
		t.Errorf("the command is %+v", seen)
	}
}

// A command that runs unasked gets no keys of Pollux.
func TestKeys(t *testing.T) {
	t.Parallel()
	requireBash(t)
	o := options(t)
	o.Environ = append(o.Environ, "MY_KEY=secret", "OTHER=x")
	o.Keys = func() []string { return []string{"my_key", "NONE"} }
	for unasked, want := range map[bool]string{false: "secret x", true: "none x"} {
		r := build(t, shell.New(o), args{"command": "echo ${MY_KEY:-none} $OTHER"}).Run(t.Context(), tool.Host{Unasked: unasked})
		if got := text(r); !strings.Contains(got, want) {
			t.Errorf("unasked %v: %q", unasked, got)
		}
	}
}

func TestPurpose(t *testing.T) {
	t.Parallel()
	requireBash(t)
	o := options(t)
	var seen process.Purpose
	o.Launcher = process.NewLauncher(func(next process.Handler) process.Handler {
		return func(ctx context.Context, c *process.Command) (*process.Process, error) {
			seen = c.For
			return next(ctx, c)
		}
	})
	for want, tl := range map[process.Origin]tool.Tool{
		process.OriginModel: shell.New(o), process.OriginUser: shell.NewForUser(o),
		process.OriginExtension: shell.NewForTemplate(o, process.OriginExtension),
	} {
		if r := build(t, tl, args{"command": "true"}).Run(t.Context(), tool.Host{}); r.Error != nil || seen != (process.Purpose{Kind: process.KindShell, Origin: want}) {
			t.Errorf("%s: %+v, %v", want, seen, r.Error)
		}
	}
}

func TestEffect(t *testing.T) {
	t.Parallel()
	to, ok := shell.New(shell.Options{Parallel: func() []string { return []string{"go test"} }}).(tool.Foreseeable)
	if !ok {
		t.Fatal("the tool does not foresee the effect of its calls")
	}
	for args, want := range map[string]bool{
		`{"command":"ls | wc -l"}`: true, `{"command":"bash -c 'cat a'"}`: true, `{"command":"go test ./..."}`: true,
		`{"command":"rm a"}`: false, `{"command":"ls","is_background":true}`: false, `{"command":"ls '"}`: false, `{"command":1}`: false, ``: false,
	} {
		if got := to.Effect([]byte(args)); got.Reads != want || got.Paths != nil {
			t.Errorf("%s: %+v", args, got)
		}
	}
	if to, ok := shell.New(shell.Options{}).(tool.Foreseeable); !ok || to.Effect([]byte(`{"command":"go test"}`)).Reads {
		t.Error("a command that no user has listed reads")
	}
}

// TestDescriptionNamesNoTool checks that the description does not send a model to tools that it may not have: the result of a call does, as far as
// they are declared.
func TestDescriptionNamesNoTool(t *testing.T) {
	t.Parallel()
	o := options(t)
	spec := shell.New(o).Spec()
	texts := []string{spec.Description, spec.Brief, spec.Compact.Description, string(spec.Schema), string(spec.Compact.Schema)}
	for _, other := range []tool.Tool{shell.NewReadTool(o.Processes), shell.NewListTool(o.Processes), shell.NewStopTool(o.Processes)} {
		for _, text := range texts {
			if strings.Contains(text, other.Spec().Name) {
				t.Errorf("it names %s: %s", other.Spec().Name, text)
			}
		}
	}
}
