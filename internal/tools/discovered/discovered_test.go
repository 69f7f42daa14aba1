//go:build unix

package discovered_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"pollux/internal/process"
	"pollux/internal/process/processtest"
	"pollux/internal/tools/discovered"
	"pollux/tool"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const one = `printf '[{"name":"greet","description":"Greets.","parametersJsonSchema":{"type":"object","properties":{"who":{"type":"string"}},"required":["who"]}}]'`

// project returns options for a directory with the two programs.
func project(t *testing.T, list, call string) discovered.Options {
	t.Helper()
	dir := t.TempDir()
	for name, script := range map[string]string{"list": list, "call it": call} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return discovered.Options{
		Discovery: "./list", Call: "./call it", Dir: dir,
		Environ: []string{"PATH=" + os.Getenv("PATH"), "GREETING=hello there", "HERE=" + dir},
	}
}

func discover(t *testing.T, o discovered.Options) []tool.Tool {
	t.Helper()
	tools, err := discovered.Discover(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return tools
}

func TestListing(t *testing.T) {
	t.Parallel()
	o := project(t, `cat <<'END'
[
 {"function_declarations":[{"name":"a b","description":"First."},{"description":"no name"},{"name":7}]},
 {"functionDeclarations":[{"name":"old","parameters":{"type":"object","properties":{"x":{"type":"string"}}}}]},
 {"name":"ordered","parametersJsonSchema":{"type":"object","properties":{"z":{"type":"string"},"a":{"type":"number"}}}},
 {"name":"empty","parametersJsonSchema":{"type":"object"}},
 {"name":"odd","parametersJsonSchema":{"type":"object","properties":[]}},
 {"name":"text","parametersJsonSchema":"none","description":["not a text"]},
 {"name":"asked","parametersJsonSchema":{"type":"object","properties":{"wait_for_previous":{"type":"string"}}}},
 {"name":"a-name-that-goes-on-for-much-longer-than-any-vendor-would-take-it"},
 null, 1, "x", [], {"name":" "}, {"name":"nul\u0000"}, {"function_declarations":[null, 2]}
]
END
echo 'a warning is no failure' >&2`, "")
	want := [][2]string{
		{"discovered_tool_a_b", `{}`},
		{"discovered_tool_old", `{}`},
		{"discovered_tool_ordered", `{"type":"object","properties":{"z":{"type":"string"},"a":{"type":"number"}}}`},
		{"discovered_tool_empty", `{"type":"object"}`},
		{"discovered_tool_odd", `{"type":"object","properties":[]}`},
		{"discovered_tool_text", `{}`},
		{"discovered_tool_asked", `{"type":"object","properties":{"wait_for_previous":{"type":"string"}}}`},
		{"discovered_tool_a-name-that-go...-than-any-vendor-would-take-it", `{}`},
	}
	got := discover(t, o)
	if len(got) != len(want) {
		t.Fatalf("%d tools, want %d", len(got), len(want))
	}
	for i, w := range want {
		s := got[i].Spec()
		if s.Name != w[0] || string(s.Schema) != w[1] || s.DisplayName != s.Name || s.Kind != tool.KindOther || len(s.Name) > 63 {
			t.Errorf("%s %s %s, want %s %s", s.Name, s.Kind, s.Schema, w[0], w[1])
		}
	}
	if d := got[0].Spec().Description; !strings.HasPrefix(d, "First.\n\n") || !strings.Contains(d, "`./list`") || !strings.Contains(d, "`./call it a b`") {
		t.Error(d)
	}
}

func TestListingFails(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, command, script, want string }{
		{name: "not there", command: "./missing", want: "Tool discovery command failed: "},
		{name: "not in the path", command: "no-such-program-here", want: `Tool discovery command failed: run "no-such-program-here": executable file not found in $PATH`},
		{name: "blank", command: " \t", want: "Tool discovery command is empty or contains only whitespace."},
		{name: "an open quote", command: `./list "`, want: "tools.discoveryCommand: "},
		{name: "a shell's work", command: `./list $(touch "$HERE/ran")`, want: "tools.discoveryCommand: "},
		{name: "two commands", command: `./list; touch "$HERE/ran"`, want: "tools.discoveryCommand: "},
		{name: "fails", script: "echo first >&2; echo 'no database' >&2; exit 3", want: "Tool discovery command failed with exit code 3: no database"},
		{name: "fails silently", script: "exit 1", want: "Tool discovery command failed with exit code 1"},
		{name: "is killed", script: "kill -TERM $$", want: "Tool discovery command failed: killed by SIGTERM"},
		{name: "prints nothing", script: "true", want: "Tool discovery command did not return a JSON array of tools."},
		{name: "prints an object", script: `echo '{"name":"x"}'`, want: "Tool discovery command did not return a JSON array of tools."},
		{name: "prints null", script: `echo null`, want: "Tool discovery command did not return a JSON array of tools."},
		{name: "prints half", script: `printf '[{"name":"x"}'`, want: "Tool discovery command did not return a JSON array of tools."},
		{name: "prints two", script: `echo '[] []'`, want: "Tool discovery command did not return a JSON array of tools."},
		{name: "never stops printing", script: "exec yes", want: "Tool discovery command output exceeded size limit of 10485760 bytes."},
		{name: "never stops complaining", script: "exec yes >&2", want: "Tool discovery command output exceeded size limit of 10485760 bytes."},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			o := project(t, c.script, "")
			if c.command != "" {
				o.Discovery = c.command
			}
			_, err := discovered.Discover(t.Context(), o)
			if err == nil || !strings.HasPrefix(err.Error(), c.want) || strings.HasPrefix(c.want, "Tool discovery command failed with") && err.Error() != c.want {
				t.Errorf("got %v, want %s", err, c.want)
			}
			if _, err := os.Stat(filepath.Join(o.Dir, "ran")); err == nil {
				t.Error("a shell ran what it should not have seen")
			}
		})
	}
}

// TestListingHangs checks that a discovery command that hangs is ended with all its processes.
func TestListingHangs(t *testing.T) {
	t.Parallel()
	o := project(t, `sleep 600 & echo $! >"$HERE/pid"; sleep 600`, "")
	o.Timeout = 300 * time.Millisecond
	_, err := discovered.Discover(t.Context(), o)
	if want := "Tool discovery command failed: it had not ended after 300ms"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	waitUntilEnded(t, filepath.Join(o.Dir, "pid"))
}

// waitUntilEnded waits until the process whose ID is in the file has ended. It returns at
// once if the script had no time to write the file.
func waitUntilEnded(t *testing.T, file string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		return
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(data)))
	if err != nil {
		return
	}
	processtest.WaitUntil(t, "the process has ended", func() bool { return !processtest.IsRunning(pid) })
}

func TestNoCallCommand(t *testing.T) {
	t.Parallel()
	o := project(t, one, "")
	o.Call = " "
	if _, err := discovered.Discover(t.Context(), o); err == nil || !strings.Contains(err.Error(), "tools.callCommand is not set") {
		t.Error(err)
	}
}

// build returns a call of the tool greet.
func build(t *testing.T, o discovered.Options, args string) tool.Invocation {
	t.Helper()
	inv, err := tool.Build(discover(t, o)[0], json.RawMessage(args))
	if err != nil {
		t.Fatal(err)
	}
	return inv
}

func TestCall(t *testing.T) {
	t.Parallel()
	const (
		five = "Stdout: %s\nStderr: %s\nError: %s\nExit Code: %s\nSignal: %s"
		none = "(none)"
	)
	report := func(values ...string) string {
		text := five
		for _, v := range values {
			text = strings.Replace(text, "%s", v, 1)
		}
		return text
	}
	for _, c := range []struct{ name, script, command, text, failure string }{
		{name: "name and arguments", script: `printf '%s|%s|' "$#" "$1"; cat`, text: `1|greet|{"who":"<you> & \u00e9","more":[1]}`},
		{name: "where it runs", script: `test "$PWD" -ef "$HERE" && printf '%s\n\n' "$GREETING"`, text: "hello there\n\n"},
		{name: "silence", script: "true", text: ""},
		{name: "reads nothing", script: "exec <&-; echo ok", text: "ok\n"},
		{name: "a command with arguments", command: `sh -c 'printf "%s/" "$@"' name "$GREETING"`, text: "hello there/greet/"},
		{name: "not UTF-8", script: `printf 'a\377b'`, text: "a\uFFFDb"},
		{name: "complains", script: "echo fine; echo 'but slow' >&2", failure: report("fine\n", "but slow\n", none, "0", none)},
		{name: "fails", script: "exit 7", failure: report("(empty)", "(empty)", none, "7", none)},
		{name: "is killed", script: "echo half; kill -KILL $$", failure: report("half\n", "(empty)", none, none, "SIGKILL")},
		{name: "is not there", command: "no-such-program-here", failure: report("(empty)", "(empty)", `run "no-such-program-here": executable file not found in $PATH`, none, none)},
		{name: "makes no sense", command: `x "`, failure: "Stdout: (empty)\nStderr: (empty)\nError: tools.callCommand: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			o := project(t, one, c.script)
			if c.command != "" {
				o.Call = c.command
			}
			r := build(t, o, `{"who": "<you> & \u00e9", "more": [ 1 ]}`).Run(t.Context(), tool.Host{})
			if c.failure == "" {
				if r.Error != nil || r.Content[0].Text != c.text {
					t.Errorf("%v, %+v, want %q", r.Error, r.Content, c.text)
				}
				return
			}
			if r.Error == nil || r.Error.Type != tool.ErrDiscovered || !strings.HasPrefix(r.Error.Message, c.failure) {
				t.Errorf("%+v, want %q", r.Error, c.failure)
			}
		})
	}
}

func TestCallArguments(t *testing.T) {
	t.Parallel()
	o := project(t, one, "")
	for args, want := range map[string]string{
		`{}`:        "params must have required property 'who'",
		`{"who":1}`: "params/who must be string",
	} {
		if _, err := tool.Build(discover(t, o)[0], json.RawMessage(args)); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", args, err, want)
		}
	}
	long := `{"who":"` + strings.Repeat("é", 10_000) + `"}`
	inv := build(t, o, long)
	if n := len(inv.Summary()); n > 210 {
		t.Errorf("a summary of %d bytes", n)
	}
	asks, err := inv.Confirmation(t.Context())
	if err != nil || asks.(*tool.InfoConfirmation).Prompt != long || asks.(*tool.InfoConfirmation).Title != "Confirm: discovered_tool_greet" {
		t.Errorf("%v, %v", asks, err)
	}
}

// TestCallFlood checks that a long output is cut while it arrives and saved whole in a file.
func TestCallFlood(t *testing.T) {
	t.Parallel()
	o := project(t, one, "i=0; while [ $i -lt 20000 ]; do echo line $i; i=$((i+1)); done")
	file := filepath.Join(t.TempDir(), "out")
	r := build(t, o, `{"who":"x"}`).Run(t.Context(), tool.Host{Limit: 1000, Spill: func() (*os.File, error) { return os.Create(file) }})
	if r.Error != nil || tool.Units(r.Content[0].Text) > 1500 || !strings.HasSuffix(r.Content[0].Text, "line 19999\n") || r.OutputFile != file {
		t.Errorf("%v, %d characters, file %q", r.Error, len(r.Content[0].Text), r.OutputFile)
	}
	whole, err := os.ReadFile(file)
	if err != nil || strings.Count(string(whole), "\n") != 20000 {
		t.Errorf("%v, %d lines", err, strings.Count(string(whole), "\n"))
	}
}

// TestLauncher checks that the launcher starts both commands.
func TestLauncher(t *testing.T) {
	t.Parallel()
	o := project(t, one, `echo "$ADDED"`)
	o.Origin = process.OriginProject
	o.Launcher = process.NewLauncher(func(next process.Handler) process.Handler {
		return func(ctx context.Context, c *process.Command) (*process.Process, error) {
			c.Env = append(c.Env, fmt.Sprint("ADDED=", filepath.Base(c.Path), " ", c.Args, " ", c.Dir == o.Dir, " ", c.For))
			return next(ctx, c)
		}
	})
	r := build(t, o, `{"who":"x"}`).Run(t.Context(), tool.Host{})
	if r.Error != nil || r.Content[0].Text != "call it [greet] true {tool project greet}\n" {
		t.Errorf("%v, %+v", r.Error, r.Content)
	}
}

// TestCallCancelled checks that a cancel ends the program with all its processes, and that the
// result contains its output.
func TestCallCancelled(t *testing.T) {
	t.Parallel()
	o := project(t, one, `sleep 600 & echo $! >"$HERE/pid"; echo started; sleep 600`)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	pid := filepath.Join(o.Dir, "pid")
	host := tool.Host{Started: func(int) { processtest.WhenWritten(t, pid, cancel) }}
	r := build(t, o, `{"who":"x"}`).Run(ctx, host)
	if r.Error == nil || !strings.HasSuffix(r.Error.Message, "Signal: SIGKILL") {
		t.Errorf("%+v", r.Error)
	}
	waitUntilEnded(t, pid)
}

// TestCallLeavesSomethingRunning checks that a call returns even if a process that the program
// started keeps the output open.
func TestCallLeavesSomethingRunning(t *testing.T) {
	t.Parallel()
	o := project(t, one, `sleep 600 & echo $! >"$HERE/pid"; echo done`)
	r := build(t, o, `{"who":"x"}`).Run(t.Context(), tool.Host{})
	if r.Error != nil || r.Content[0].Text != "done\n" {
		t.Errorf("%v, %+v", r.Error, r.Content)
	}
	data, err := os.ReadFile(filepath.Join(o.Dir, "pid"))
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(data)))
	if err != nil {
		t.Fatal(err)
	}
	_ = syscall.Kill(pid, syscall.SIGKILL)
	waitUntilEnded(t, filepath.Join(o.Dir, "pid"))
}
