package slash

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pollux/agent"
	"pollux/internal/app"
	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/guard/policy"
	"pollux/internal/guard/trust"
)

func TestMemory(t *testing.T) {
	t.Parallel()
	d := newDesk(t, setup{model: chat})
	d.prompt("hi")
	d.says("/memory show", "Memory is currently empty.")
	d.file("GEMINI.md", "The code word is heron.")
	d.says("/memory list", "No GEMINI.md files in use.")
	d.says("/memory reload", "Memory reloaded successfully. Loaded ", " characters from 1 file(s)")
	if opening := d.App.Agent.History()[0].Content.Text(); !strings.Contains(opening, "heron") || d.history() != "hi | One." {
		t.Errorf("the model is told %s", opening)
	}
	own := filepath.Join(d.home, ".gemini", "GEMINI.md")
	d.says("/memory add Likes\x1b[31m tea. ", "Added to "+own+": Likes")
	d.says("/memory add Likes\x1b[31m tea.", "It is already in "+own)
	if system := d.App.Agent.Asks(d.App.Model()).SystemInstruction.Text(); !strings.Contains(system, "tea.") {
		t.Error("the model is not told what was added")
	}
	d.says("/memory refresh", " from 2 file(s)")
}

func TestDirectories(t *testing.T) {
	t.Parallel()
	d := newDesk(t, setup{})
	base := real(t, t.TempDir())
	for _, name := range []string{"one", "two, three", "four five"} {
		d.file(filepath.Join(base, name, "GEMINI.md"), "Know "+name)
	}
	one, comma, space := filepath.Join(base, "one"), filepath.Join(base, "two, three"), filepath.Join(base, "four five")
	d.says("/dir add "+one, "Nothing was added.") // the person would rather not
	d.answers = []string{"Yes"}
	d.says("/dir add "+one, "Added "+one+" to the workspace.")
	if h := d.history(); !strings.Contains(h, one) || !strings.Contains(h, "Know one") {
		t.Errorf("the model is told %s", h)
	}
	d.answers = []string{"yes, and remember the directories as trusted"}
	d.says("/directory add "+comma, "Added "+comma)
	levels, err := trust.Read(d.Trust.File)
	if err != nil || len(levels) != 1 || levels[comma] != trust.TrustFolder {
		t.Errorf("%v, %v", levels, err)
	}
	d.answers = []string{"Yes"}
	r := d.fails(`/directory add `+strings.ReplaceAll(space, " ", `\ `)+", "+one+",,"+d.file("f", ""), "Added "+space, one+" is part of the workspace already", "it is not a directory")
	if strings.Count(r.Text, "\n") != 2 {
		t.Errorf("%s", r.Text)
	}
	d.says("/directory show", "- "+d.dir+"\n- "+one+"\n- "+comma+"\n- "+space)
	d.file(d.Trust.File, `{"`+base+`": "TRUST_FOLDER"}`)
	d.asked = nil
	if d.says("/directory add "+base, "Added "+base); len(d.asked) > 0 {
		t.Error("a trusted directory is asked about")
	}
	d.Env = d.Env.With("SANDBOX=sandbox-exec", "SEATBELT_PROFILE=restrictive-open")
	d.fails("/directory add "+base, "sandbox")
}

func TestModes(t *testing.T) {
	t.Parallel()
	d := newDesk(t, setup{settings: `{"security": {"disableYoloMode": true}}`, model: chat})
	d.says("/mode auto_edit", "Approval mode: auto_edit. Pollux lets files be edited")
	d.fails("/mode yolo", "You cannot enter YOLO mode since it is disabled in your settings.")
	if r := d.says("/plan make @a better", "Plan mode: "); r.Prompt != "make @a better" || d.App.Mode() != policy.Plan {
		t.Errorf("%+v in %s", r, d.App.Mode())
	}
	d.says("/plan", "This is plan mode already.")
	d.says("/tools", "plan mode", "exit_plan_mode")

	off := newDesk(t, setup{settings: `{"general": {"plan": {"enabled": false}}}`})
	off.fails("/plan x", "Plan mode is disabled in your settings")
	off.fails("/mode plan", "Plan mode is disabled in your settings")
	strange := newDesk(t, setup{change: func(o *app.Options) { o.Trusted = false }})
	strange.fails("/mode yolo", "Cannot enable privileged approval modes in an untrusted folder.")
}

// A plan that was approved is shown.
func TestPlan(t *testing.T) {
	t.Parallel()
	d := newDesk(t, setup{mode: "plan", settings: `{"general": {"plan": {"directory": "plans"}}}`, model: `
turn
  call exit_plan_mode {"plan_filename": "p.md"}
turn
  text Going.
`})
	d.file("plans/p.md", "# The plan\n\x1b[31m1. Go\n")
	d.prompt("Plan it")
	d.says("/plan copy", "# The plan\n1. Go")
	d.says("/plan", "Plan mode: ", "Approved plan: "+filepath.Join(d.dir, "plans", "p.md"), "# The plan")
	if d.run("/clear"); d.App.Plan() != "" {
		t.Error("the plan outlives its conversation")
	}
}

func TestPermissions(t *testing.T) {
	t.Parallel()
	d := newDesk(t, setup{model: `
turn
  call run_shell_command {"command": "touch made"}
turn
  text Said.
`})
	d.prompt("Make it")
	d.says("/permissions", "Allowed in this session; ", "\n1. run_shell_command: touch *")
	for _, wrong := range []string{"", " 0", " 2", " touch", " 1 2", " 99999999999999999999"} {
		d.fails("/permissions revoke"+wrong, "is no number of something you have allowed")
	}
	d.says("/permissions revoke 1", "You are asked again about: run_shell_command: touch *")
	d.says("/permissions", "You have allowed nothing beyond single calls")
	d.fails("/permissions revoke 1", "is no number")
	for answer, want := range map[string]trust.Level{
		"Trust folder (" + filepath.Base(d.dir) + ")": trust.TrustFolder, "trust parent folder (" + filepath.Base(filepath.Dir(d.dir)) + ")": trust.TrustParent,
		"Don't trust": trust.DoNotTrust,
	} {
		d.answers = []string{answer}
		d.says("/permissions trust", string(want))
		if levels, err := trust.Read(d.Trust.File); err != nil || levels[d.dir] != want {
			t.Errorf("%s: %v, %v", answer, levels, err)
		}
	}
	d.answers = []string{"perhaps"}
	d.file(".gemini/settings.json", `{"tools": {"allowed": ["run_shell_command"]}, "hooks": {}, "mcpServers": {"evil\u001b[2J": {"command": "x"}}}`)
	d.file(".gemini/commands/go.toml", `prompt = "go"`)
	d.asked = nil
	d.says("/permissions trust", "Nothing was changed.")
	for _, part := range []string{"- Commands: /go", "- MCP Servers: evil", "- Settings: ", "- Think twice: This project auto-approves certain tools (tools.allowed)."} {
		if text := d.asked[0].Text; !strings.Contains(text, part) || strings.Contains(text, "\x1b") {
			t.Errorf("the person is not told %q but %q", part, text)
		}
	}
	sub := filepath.Dir(d.file("sub/x", ""))
	d.answers = []string{"Trust folder (sub)"}
	d.says("/permissions trust sub", sub+": TRUST_FOLDER", "when Pollux is started there the next time")
	d.file(d.Trust.File, "{broken")
	d.fails("/permissions", "not valid JSON")
	d.Trust.Enabled = false
	d.says("/permissions", "all folders are")
	d.fails("/permissions trust", "Folder trust is switched off")
}

// What is decided about the session's own folder counts at once.
func TestTrustCounts(t *testing.T) {
	t.Parallel()
	d := newDesk(t, setup{change: func(o *app.Options) { o.Trusted = false }})
	d.file("GEMINI.md", "The code word is heron.")
	opening := func() string { return d.App.Agent.History()[0].Content.Text() }
	trusts := func(want bool) {
		t.Helper()
		allowed := d.App.SetMode(policy.AutoEdit) == nil
		if d.App.Trusted() != want || d.App.CanRemember() != want || allowed != want || strings.Contains(opening(), "heron") != want {
			t.Errorf("trusted %v, remembers %v, may switch modes %v, is told %q", d.App.Trusted(), d.App.CanRemember(), allowed, opening())
		}
	}
	trusts(false)
	d.answers = []string{"Trust folder (" + filepath.Base(d.dir) + ")"}
	d.says("/permissions trust", "From now on its instructions count", "count from the next start")
	trusts(true)
	d.answers = []string{"Trust parent folder (" + filepath.Base(filepath.Dir(d.dir)) + ")"}
	d.says("/permissions trust", "the next time")
	d.answers = []string{"Don't trust"}
	d.says("/permissions trust", "From now on its instructions do not count", "lasts until you leave")
	if mode := d.App.Mode(); mode != policy.Default {
		t.Errorf("the mode is %v", mode)
	}
	trusts(false)
	d.file(d.Trust.File, `{"`+d.dir+`": "TRUST_FOLDER"}`)
	d.says("/permissions", d.dir+" is trusted", "This session goes on as it was begun")
}

func TestSettings(t *testing.T) {
	t.Parallel()
	d := newDesk(t, setup{settings: "{\n  // mine\n  \"mcpServers\": {\"a\": {\"command\": \"x\", \"env\": {\"TOKEN\": \"s3cret\"}}}\n}"})
	if r := d.says("/settings list", "mcpServers", "********", "user"); strings.Contains(r.Text, "s3cret") {
		t.Errorf("a secret is shown: %s", r.Text)
	}
	d.says("/settings get mcpServers.a.command", `= "x" (user)`)
	d.says("/settings get model.maxSessionTurns", "= -1 (default)")
	d.says("/settings set model.maxSessionTurns 7", "Set model.maxSessionTurns to 7 in "+d.Paths.UserSettings(), "from the next start")
	d.says("/settings get model.maxSessionTurns", "= 7 (user)")
	if data, _ := os.ReadFile(d.Paths.UserSettings()); !strings.Contains(string(data), "// mine") {
		t.Errorf("the comment is gone: %s", data)
	}
	d.says("/settings unset model.maxSessionTurns", "Removed model.maxSessionTurns")
	d.says("/settings unset model.maxSessionTurns", "is not set in")
	d.says("/settings set ui.theme My Own", `Set ui.theme to "My Own"`, "screen")
	d.file(d.Paths.UserSettings(), "{broken")
	d.fails("/settings set model.name x", "was not changed")
}

func TestEditor(t *testing.T) {
	t.Parallel()
	d := newDesk(t, setup{})
	bin := filepath.Dir(d.file("bin/micro", "#!/bin/sh\n"))
	if err := os.Chmod(filepath.Join(bin, "micro"), 0o700); err != nil {
		t.Fatal(err)
	}
	d.Env = d.Env.With("PATH=" + bin)
	d.answers = []string{"micro"}
	d.says("/editor", "Your editor is micro.")
	if n := len(d.asked[0].Options); n != 2 {
		t.Errorf("%d are offered: %+v", n, d.asked[0].Options)
	}
	if got := config.PreferredEditor.In(d.Current()); got != "micro" {
		t.Errorf("the settings say %q", got)
	}
	d.says("/editor zed", "Your editor is zed. Editor command 'zed' was not found in PATH.")
	d.says("/editor", "Nothing was changed.")
	if !strings.Contains(d.asked[1].Text, "Your editor is zed.") {
		t.Errorf("asked %q", d.asked[1].Text)
	}
	d.says("/editor none", "Removed general.preferredEditor")
}

// A command in the background is listed, whatever it prints or is called.
func TestTasks(t *testing.T) {
	t.Parallel()
	d := newDesk(t, setup{mode: "yolo", model: `
turn
  call run_shell_command {"command": "sleep 60 #\u001b[31m", "is_background": true}
turn
  text It sleeps.
`})
	d.prompt("Sleep")
	r := d.says("/bashes", "PID", "running", "sleep 60 #", ".log")
	if strings.Contains(r.Text, "31m") {
		t.Errorf("%q", r.Text)
	}
}

// Functions of others are asked for what only they know.
func TestOthers(t *testing.T) {
	t.Parallel()
	d := newDesk(t, setup{})
	d.Doctor = func(context.Context) (string, error) { return "All \x1b[2Jwell.", nil }
	d.Auth = func(_ context.Context, ask agent.Ask, args string) (string, error) {
		if ask == nil {
			t.Error("the person is not there")
		}
		return "auth " + args, nil
	}
	d.says("/doctor", "All well.")
	d.says("/auth", "auth signin")
	d.says("/auth logout openai", "auth signout openai")
	d.says("/auth list", "auth list")
	d.says("/auth status", "the answers come from elsewhere")
	d.Doctor = func(context.Context) (string, error) { return "", exit.Errorf(exit.Auth, "No key.") }
	if r := d.fails("/doctor", "No key."); exit.CodeOf(r.Err) != exit.Auth {
		t.Errorf("%v", r.Err)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	d.Doctor = func(ctx context.Context) (string, error) { return "", ctx.Err() }
	if _, known, err := d.Run(over, "/doctor"); !known || !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
