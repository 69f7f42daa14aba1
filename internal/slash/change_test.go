package slash

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pollux/internal/config"
	"pollux/internal/guard/policy"
	"pollux/internal/guard/trust"
)

func TestMemory(t *testing.T) {
	t.Parallel()
	d := newDriver(t, setup{model: threeResponses})
	d.prompt("hi")
	d.wantText("/memory show", "Memory is currently empty.")
	d.file("GEMINI.md", "The code word is heron.")
	d.wantText("/memory list", "No GEMINI.md files in use.")
	d.wantText("/memory reload", "Memory reloaded successfully. Loaded ", " characters from 1 file(s)")
	if opening := d.Session.History()[0].Content.Text(); !strings.Contains(opening, "heron") || d.history() != "hi | One." {
		t.Errorf("the opening message is %s", opening)
	}
	own := filepath.Join(d.home, ".gemini", "GEMINI.md")
	d.wantText("/memory add Likes\x1b[31m tea. ", "Added to "+own+": Likes")
	d.wantText("/memory add Likes\x1b[31m tea.", "Already in "+own)
	if system := d.Session.Memory.Texts().Global; !strings.Contains(system, "tea.") {
		t.Error("the system instruction does not have the added line")
	}
	d.wantText("/memory refresh", " from 2 file(s)")
}

func TestDirectories(t *testing.T) {
	t.Parallel()
	d := newDriver(t, setup{})
	base := realPath(t, t.TempDir())
	for _, name := range []string{"one", "two, three", "four five"} {
		d.file(filepath.Join(base, name, "GEMINI.md"), "Know "+name)
	}
	one, comma, space := filepath.Join(base, "one"), filepath.Join(base, "two, three"), filepath.Join(base, "four five")
	d.wantText("/dir add "+one, "No directory added.") // the user does not answer
	d.answers = []string{"Yes"}
	d.wantText("/dir add "+one, "Added "+one+" to the workspace.")
	if h := d.history(); !strings.Contains(h, one) || !strings.Contains(h, "Know one") {
		t.Errorf("the history is %s", h)
	}
	d.answers = []string{"yes, and trust these directories in the future"}
	d.wantText("/directory add "+comma, "Added "+comma)
	levels, err := trust.Read(d.Session.Project.TrustOptions().File)
	if err != nil || len(levels) != 1 || levels[comma] != trust.TrustFolder {
		t.Errorf("%v, %v", levels, err)
	}
	d.answers = []string{"Yes"}
	r := d.wantFailure(`/directory add `+strings.ReplaceAll(space, " ", `\ `)+", "+one+",,"+d.file("f", ""), "Added "+space, one+" is already in the workspace", "it is not a directory")
	if strings.Count(r.Text, "\n") != 2 {
		t.Errorf("%s", r.Text)
	}
	d.wantText("/directory show", "- "+d.dir+"\n- "+one+"\n- "+comma+"\n- "+space)
	d.file(d.Session.Project.TrustOptions().File, `{"`+base+`": "TRUST_FOLDER"}`)
	d.asked = nil
	if d.wantText("/directory add "+base, "Added "+base); len(d.asked) > 0 {
		t.Error("a trusted directory is asked about")
	}
	d.Session.Project.Options.Env = d.Session.Project.Options.Env.With("SANDBOX=sandbox-exec", "SEATBELT_PROFILE=restrictive-open")
	d.wantFailure("/directory add "+base, "sandbox")
}

func TestModes(t *testing.T) {
	t.Parallel()
	d := newDriver(t, setup{settings: `{"security": {"disableYoloMode": true}}`, model: threeResponses})
	d.wantText("/mode auto_edit", "Approval mode: auto_edit. Pollux edits files without asking")
	d.wantFailure("/mode yolo", "You cannot enter YOLO mode since it is disabled in your settings.")
	if r := d.wantText("/plan make @a better", "Plan mode is on: "); r.Prompt.Text() != "make @a better" || d.Session.Rulebook.Mode() != policy.Plan {
		t.Errorf("%+v in %s", r, d.Session.Rulebook.Mode())
	}
	d.wantText("/plan", "Plan mode is already on.")
	d.wantText("/tools", "plan mode", "exit_plan_mode")

	off := newDriver(t, setup{settings: `{"general": {"plan": {"enabled": false}}}`})
	off.wantFailure("/plan x", "Plan mode is disabled in your settings")
	off.wantFailure("/mode plan", "Plan mode is disabled in your settings")
	untrusted := newDriver(t, setup{trusted: "DO_NOT_TRUST"})
	untrusted.wantFailure("/mode yolo", "Cannot enable privileged approval modes in an untrusted folder.")
}

// TestPlan checks that /plan shows the approved plan.
func TestPlan(t *testing.T) {
	t.Parallel()
	d := newDriver(t, setup{mode: "plan", settings: `{"general": {"plan": {"directory": "plans"}}}`, model: `
turn
  call exit_plan_mode {"plan_filename": "p.md"}
turn
  text Going.
`})
	d.file("plans/p.md", "# The plan\n\x1b[31m1. Go\n")
	d.prompt("Plan it")
	d.wantText("/plan copy", "# The plan\n1. Go")
	d.wantText("/plan", "Plan mode is on: ", "Approved plan: "+filepath.Join(d.dir, "plans", "p.md"), "# The plan")
	if d.run("/clear"); d.Session.Plan() != "" {
		t.Error("the plan outlives its conversation")
	}
}

func TestPermissions(t *testing.T) {
	t.Parallel()
	d := newDriver(t, setup{model: `
turn
  call run_shell_command {"command": "touch made"}
turn
  text Said.
`})
	d.prompt("Make it")
	d.wantText("/permissions", "Approvals in this session. ", "\n1. run_shell_command: touch *")
	for _, arg := range []string{"", " 0", " 2", " touch", " 1 2", " 99999999999999999999"} {
		d.wantFailure("/permissions revoke"+arg, "No approval has the number")
	}
	d.wantText("/permissions revoke 1", "Approval revoked: run_shell_command: touch *")
	d.wantText("/permissions", "No approvals in this session")
	d.wantFailure("/permissions revoke 1", "No approval has the number")
	for answer, want := range map[string]trust.Level{
		"Trust this folder": trust.TrustFolder, "trust the parent folder": trust.TrustParent, "Do not trust": trust.DoNotTrust,
	} {
		d.answers = []string{answer}
		d.wantText("/permissions trust", map[trust.Level]string{
			trust.TrustFolder: d.dir + " is trusted now", trust.TrustParent: filepath.Dir(d.dir) + " is trusted now", trust.DoNotTrust: d.dir + " is not trusted now",
		}[want])
		if levels, err := trust.Read(d.Session.Project.TrustOptions().File); err != nil || levels[d.dir] != want {
			t.Errorf("%s: %v, %v", answer, levels, err)
		}
	}
	d.answers = []string{"perhaps"}
	d.file(".gemini/settings.json", `{"tools": {"allowed": ["run_shell_command"]}, "hooks": {}, "mcpServers": {"evil\u001b[2J": {"command": "x"}}}`)
	d.file(".gemini/commands/go.toml", `prompt = "go"`)
	d.asked = nil
	d.wantText("/permissions trust", "Trust in "+d.dir+" is unchanged.")
	for _, part := range []string{"- Commands: /go", "- MCP servers: evil", "- Settings: ", "- Warnings: This project auto-approves certain tools (tools.allowed)."} {
		if text := d.asked[0].Text; !strings.Contains(text, part) || strings.Contains(text, "\x1b") {
			t.Errorf("the question does not contain %q: %q", part, text)
		}
	}
	sub := filepath.Dir(d.file("sub/x", ""))
	d.answers = []string{"Trust this folder"}
	d.wantText("/permissions trust sub", sub+" is trusted now", "the next time you start Pollux there")
	d.file(d.Session.Project.TrustOptions().File, "{broken")
	d.wantFailure("/permissions", "not valid JSON")
	d = newDriver(t, setup{settings: `{"security": {"folderTrust": {"enabled": false}}}`})
	d.wantText("/permissions", "because security.folderTrust.enabled is false")
	d.wantFailure("/permissions trust", "Folder trust is off")
}

// TestTrustTakesEffect checks that a trust decision about the session's own folder applies
// at once.
func TestTrustTakesEffect(t *testing.T) {
	t.Parallel()
	d := newDriver(t, setup{trusted: "DO_NOT_TRUST"})
	d.file("GEMINI.md", "The code word is heron.")
	opening := func() string { return d.Session.History()[0].Content.Text() }
	checkTrusted := func(want bool) {
		t.Helper()
		allowed := d.Session.Rulebook.SetMode(policy.AutoEdit) == nil
		if d.Session.Project.IsTrusted() != want || d.Session.Rulebook.CanRemember() != want || allowed != want || strings.Contains(opening(), "heron") != want {
			t.Errorf("trusted %v, remembers %v, may switch modes %v, opening message %q", d.Session.Project.IsTrusted(), d.Session.Rulebook.CanRemember(), allowed, opening())
		}
	}
	checkTrusted(false)
	d.answers = []string{"Trust this folder"}
	d.wantText("/permissions trust", "Its context files and skills are loaded now", "take effect the next time you start Pollux")
	checkTrusted(true)
	d.answers = []string{"Trust the parent folder"}
	d.wantText("/permissions trust", "the next time")
	d.answers = []string{"Do not trust"}
	d.wantText("/permissions trust", "Its context files are unloaded", "stay in effect until you exit Pollux")
	if mode := d.Session.Rulebook.Mode(); mode != policy.Default {
		t.Errorf("the mode is %v", mode)
	}
	checkTrusted(false)
	d.file(d.Session.Project.TrustOptions().File, `{"`+d.dir+`": "TRUST_FOLDER"}`)
	d.wantText("/permissions", d.dir+" is trusted", "This session keeps its state")
}

func TestSettings(t *testing.T) {
	t.Parallel()
	d := newDriver(t, setup{settings: "{\n  // mine\n  \"mcp\": {\"excluded\": [\"a\"]}, \"mcpServers\": {\"a\": {\"command\": \"x\", \"env\": {\"TOKEN\": \"s3cret\"}}}\n}"})
	if r := d.wantText("/settings list", "mcpServers", "********", "user"); strings.Contains(r.Text, "s3cret") {
		t.Errorf("a secret is shown: %s", r.Text)
	}
	d.wantText("/settings get mcpServers.a.command", `= "x" (user)`)
	d.wantText("/settings get model.maxSessionTurns", "= -1 (default)")
	d.wantText("/settings set model.maxSessionTurns 7", "Set model.maxSessionTurns to 7 in "+d.Session.Project.Paths.UserSettings(), "the next time you start Pollux")
	d.wantText("/settings get model.maxSessionTurns", "= 7 (user)")
	if data, _ := os.ReadFile(d.Session.Project.Paths.UserSettings()); !strings.Contains(string(data), "// mine") {
		t.Errorf("the comment was removed: %s", data)
	}
	d.wantText("/settings unset model.maxSessionTurns", "Removed model.maxSessionTurns")
	d.wantText("/settings unset model.maxSessionTurns", "is not set in")
	d.wantText("/settings set ui.theme My Own", `Set ui.theme to "My Own" in `+d.Session.Project.Paths.UserSettings()+".")
	d.wantText("/settings set experimental.voiceMode true", "screen")
	d.file(d.Session.Project.Paths.UserSettings(), "{broken")
	d.wantFailure("/settings set model.name x", "was not changed")
}

func TestEditor(t *testing.T) {
	t.Parallel()
	d := newDriver(t, setup{})
	bin := filepath.Dir(d.file("bin/micro", "#!/bin/sh\n"))
	if err := os.Chmod(filepath.Join(bin, "micro"), 0o700); err != nil {
		t.Fatal(err)
	}
	d.Session.Project.Options.Env = d.Session.Project.Options.Env.With("PATH=" + bin)
	d.answers = []string{"micro"}
	d.wantText("/editor", "Editor: micro.")
	if n := len(d.asked[0].Options); n != 2 {
		t.Errorf("%d are offered: %+v", n, d.asked[0].Options)
	}
	if got := config.PreferredEditor.In(d.Session.Project.Settings()); got != "micro" {
		t.Errorf("the settings say %q", got)
	}
	d.wantText("/editor zed", "Editor: zed. Editor command 'zed' was not found in PATH.")
	d.wantText("/editor", "The editor is unchanged.")
	if !strings.Contains(d.asked[1].Text, "Editor: zed.") {
		t.Errorf("asked %q", d.asked[1].Text)
	}
	d.wantText("/editor none", "Removed general.preferredEditor")
}

// TestTasks checks that /tasks lists a background command, without control characters.
func TestTasks(t *testing.T) {
	t.Parallel()
	d := newDriver(t, setup{mode: "yolo", model: `
turn
  call run_shell_command {"command": "sleep 60 #\u001b[31m", "is_background": true}
turn
  text It sleeps.
`})
	d.prompt("Sleep")
	r := d.wantText("/bashes", "PID", "running", "sleep 60 #", ".log")
	if strings.Contains(r.Text, "31m") {
		t.Errorf("%q", r.Text)
	}
}

// TestDoctorAndAuth checks the commands that other packages implement.
func TestDoctorAndAuth(t *testing.T) {
	t.Parallel()
	d := newDriver(t, setup{settings: `{"security": {"auth": {"selectedType": "gemini-api-key"}}}`})
	d.wantText("/doctor", "Summary: Pollux cannot run here (exit code 55)", "not sent, run 'pollux doctor' in a shell for that")
	d.wantText("/auth", "Nothing was changed.")
	if len(d.asked) != 1 || !strings.HasPrefix(d.asked[0].Text, "Which provider") {
		t.Errorf("asked %v", d.asked)
	}
	d.wantFailure("/auth logout openai", "No key for OpenAI is stored.")
	d.wantText("/auth list", "No key is stored")
	d.wantText("/auth status", "Not signed in")
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, known, err := d.Runner.Run(canceled, "/doctor"); !known || !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
