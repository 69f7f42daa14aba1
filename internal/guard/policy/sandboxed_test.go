package policy

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"pollux/internal/guard/trust"
	"pollux/tool"
)

// TestSandboxed checks that mode sandboxed lets commands run that a sandbox confines, and that all else is as in autoEdit: rules of the user's,
// files that run later, calls that reach outside.
func TestSandboxed(t *testing.T) {
	t.Parallel()
	rules := []Rule{
		{Tools: []string{shellTool}, Decision: Deny, Priority: 4.2, Prefixes: []string{"git push"}},
		{Tools: []string{shellTool}, Decision: Ask, Priority: 4.2, Prefixes: []string{"npm publish"}},
		{Tools: []string{shellTool}, Decision: Allow, Priority: 4.1, Prefixes: []string{"find"}},
		{Tools: []string{shellTool}, Decision: Deny, Priority: 4.2, Prefixes: []string{"docker"}, Modes: In(AutoEdit)},
	}
	var unconfined error
	at := func(m Mode, interactive bool) *Engine {
		return engine(t, Options{
			Rules: rules, Mode: m, Interactive: interactive, Trust: trust.NewLive(trust.Trusted), Unconfined: func() error { return unconfined },
		})
	}
	e, headless := at(Sandboxed, true), at(Sandboxed, false)
	for _, tt := range []struct {
		call         Call
		want, alone  Decision // alone is that of headless runs
		isLikeNoMore bool     // the decision without the sandbox is the same
	}{
		{call: command("make test"), want: Allow, alone: Allow},
		{call: command("rm -rf build && ./configure > log"), want: Allow, alone: Allow},
		{call: command("sudo rm -f x"), want: Allow, alone: Allow}, // the sandbox gives it no privileges
		{call: command("python3 -c \"$(cat x.py)\""), want: Allow, alone: Allow},
		{call: command("find . -name x -delete"), want: Allow, alone: Allow},
		{call: command("eval \"$x\""), want: Allow, alone: Allow},
		{call: command("make && git push"), want: Deny, alone: Deny, isLikeNoMore: true},
		{call: command("bash -c 'git push'"), want: Deny, alone: Deny, isLikeNoMore: true},
		{call: command("$(echo git) push"), want: Ask, alone: Ask},
		{call: command("npm publish"), want: Ask, alone: Ask, isLikeNoMore: true},
		{call: command("docker ps"), want: Deny, alone: Deny, isLikeNoMore: true},
		{call: command("echo \"unterminated"), want: Ask, alone: Deny, isLikeNoMore: true},
		{call: call("write_file", "file_path", "/project/a.go", "content", "x"), want: Allow, alone: Allow, isLikeNoMore: true},
		{call: call("write_file", "file_path", "/project/.vscode/tasks.json", "content", "x"), want: Ask, alone: Deny, isLikeNoMore: true},
		{call: call("write_file", "file_path", "/project/Makefile", "content", "x"), want: Allow, alone: Allow, isLikeNoMore: true}, // as by commands
		{call: call("stop_background_process"), want: Allow, alone: Allow},
		{call: call("read_background_output"), want: Allow, alone: Allow},
		{call: call("web_fetch", "prompt", "https://example.org"), want: Ask, alone: Deny, isLikeNoMore: true},
		{call: call("mcp_s_t"), want: Ask, alone: Deny, isLikeNoMore: true},
		{call: call("activate_skill", "name", "x"), want: Ask, alone: Deny, isLikeNoMore: true},
	} {
		unconfined = nil
		if got := e.Check(tt.call).Decision; got != tt.want {
			t.Errorf("%s %s: %s, not %s", tt.call.Name, tt.call.Args, got, tt.want)
		}
		if got := headless.Check(tt.call).Decision; got != tt.alone {
			t.Errorf("%s %s in a headless run: %s, not %s", tt.call.Name, tt.call.Args, got, tt.alone)
		}
		unconfined = errors.New("no sandbox")
		if got, in := e.Check(tt.call).Decision, at(AutoEdit, true).Check(tt.call).Decision; tt.call.Name == shellTool && got != in {
			t.Errorf("%s without a sandbox: %s, not %s as in autoEdit", tt.call.Args, got, in)
		} else if tt.isLikeNoMore && got != tt.want {
			t.Errorf("%s %s without a sandbox: %s, not %s", tt.call.Name, tt.call.Args, got, tt.want)
		}
	}
}

// TestSwitchToSandboxed checks that the mode is not entered where commands are not confined, with the reason.
func TestSwitchToSandboxed(t *testing.T) {
	t.Parallel()
	why := errors.New("pollux.undo.enabled is false")
	e := engine(t, Options{Mode: Default, Trust: trust.NewLive(trust.Trusted), Unconfined: func() error { return why }})
	if err := e.SetMode(Sandboxed); !errors.Is(err, why) || e.Mode() != Default {
		t.Errorf("%v, mode %v", err, e.Mode())
	}
	if e = engine(t, Options{Mode: Default, Trust: trust.NewLive(trust.Trusted)}); e.SetMode(Sandboxed) == nil {
		t.Error("it is entered although nothing confines commands")
	}
	why = nil
	e = engine(t, Options{Mode: Default, Trust: trust.NewLive(trust.Trusted), Unconfined: func() error { return why }})
	if err := e.SetMode(Sandboxed); err != nil || e.Mode() != Sandboxed || !e.RunsFreely() {
		t.Errorf("%v, mode %v", err, e.Mode())
	}
}

// TestAnswerInSandboxed checks that an answer for the session counts in autoEdit too, and that its policy file names only modes that
// Gemini CLI knows.
func TestAnswerInSandboxed(t *testing.T) {
	t.Parallel()
	e := engine(t, Options{Mode: Sandboxed, Interactive: true, Trust: trust.NewLive(trust.Trusted), Unconfined: func() error { return nil }})
	c := call("activate_skill", "name", "x")
	if !e.Remember(c, tool.ProceedAlways) {
		t.Fatal("it is not remembered")
	}
	for _, m := range modes {
		if err := e.SetMode(m); err != nil {
			t.Fatal(err)
		}
		if got, want := e.Check(c).Decision == Allow, m >= AutoEdit; got != want {
			t.Errorf("allowed in %v: %v", m, got)
		}
	}
	if names := From(Sandboxed).list(); !slices.Equal(names, []string{"autoEdit", "yolo"}) {
		t.Errorf("the modes of a saved answer: %s", strings.Join(names, ", "))
	}
	if names := In(Sandboxed).list(); !slices.Equal(names, []string{"sandboxed"}) {
		t.Errorf("a rule for the mode alone: %s", strings.Join(names, ", "))
	}
	if names := Modes(0).names(); names != nil {
		t.Errorf("a rule for all modes: %s", strings.Join(names, ", "))
	}
}
