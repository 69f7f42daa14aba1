package project_test

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/guard/trust"
	"pollux/internal/project"
	"pollux/internal/project/projecttest"
	"pollux/internal/sandbox"
)

// trusted makes a program decide that the folder is trusted.
func trusted(o *project.Options) { o.Folder = trust.Trusted }

// flag returns the option for a setting on the command line.
func flag(key string, value any) func(*project.Options) {
	return func(o *project.Options) {
		if o.Flags == nil {
			o.Flags = map[string]any{}
		}
		o.Flags[key] = value
	}
}

// TestOpenErrors checks the exit codes of projects that cannot be opened.
func TestOpenErrors(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		settings string
		env      []string
		change   func(*project.Options)
		code     exit.Code
		text     string
	}{
		"settings that cannot be read": {settings: `{`, code: exit.Config, text: "settings.json"},
		"a restriction that is lost":   {settings: `{"tools": {"exclude": 5}}`, code: exit.Config, text: "a script does not go on without them"},
		"a restriction that is hidden": {settings: `{"tools": {"exclude": ["a"], "exclude": []}}`, code: exit.Config, text: "a script does not go on without them"},
		"telemetry":                    {env: []string{"GEMINI_TELEMETRY_TARGET=moon"}, code: exit.Config, text: "Invalid telemetry target: moon"},
		"an unknown mode":              {change: func(o *project.Options) { o.ApprovalMode = "wild" }, code: exit.General, text: "Invalid approval mode: wild"},
		"a worktree":                   {change: func(o *project.Options) { o.InWorktree = true }, code: exit.General, text: "experimental.worktrees"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u := projecttest.NewUser(t, tt.env...)
			if tt.settings != "" {
				u.Write("~/.gemini/settings.json", tt.settings)
			}
			_, err := u.TryOpen(trusted, func(o *project.Options) {
				if tt.change != nil {
					tt.change(o)
				}
			})
			if exit.CodeOf(err) != tt.code || !strings.Contains(err.Error(), tt.text) {
				t.Errorf("exit code %d, %v", exit.CodeOf(err), err)
			}
		})
	}
}

// Restricting settings that are not valid end a script. A person can go on.
func TestLostRestrictions(t *testing.T) {
	t.Parallel()
	u := projecttest.NewUser(t)
	u.Write("~/.gemini/settings.json", `{"tools": {"exclude": 5}}`)
	u.Open(trusted, u.AtTerminal)
	if text := u.TakeWarnings(); !strings.Contains(text, "tools.exclude") {
		t.Errorf("warnings: %s", text)
	}
}

// TestLoaded checks that the program gets the settings before an error that depends on them.
func TestLoaded(t *testing.T) {
	t.Parallel()
	loaded := false
	_, err := projecttest.NewUser(t).TryOpen(trusted, flag("tools.sandbox", "windows-native"), flag(string(config.OutputFormat), "json"), func(o *project.Options) {
		o.Loaded = func(p *project.Project) { loaded = config.OutputFormat.In(p.Settings()) == "json" }
	})
	if exit.CodeOf(err) != exit.Sandbox || !loaded {
		t.Errorf("loaded %v, %v", loaded, err)
	}
}

// TestSandboxWarning checks that a sandbox in the user's own settings is a warning, and one of others an error.
func TestSandboxWarning(t *testing.T) {
	t.Parallel()
	const user, folder = "~/.gemini/settings.json", ".gemini/settings.json"
	hasOwn := sandbox.Available() == nil
	warning := "Commands run without a sandbox"
	if hasOwn {
		warning = "Commands run in the sandbox of Pollux"
	}
	for _, tt := range []struct {
		file, text, env, mode string
		no                    bool // --no-sandbox
		warns, fails          bool
	}{
		{file: user, text: `"windows-native"`, warns: true},
		{file: user, text: `{"enabled": true, "command": "windows-native"}`, mode: "plan", warns: true},
		{file: user, text: `"windows-native"`, mode: "yolo", warns: hasOwn, fails: !hasOwn},
		{file: user, text: `"windows-native"`, mode: "yolo", no: true},
		{file: user, text: `"windows-native"`, env: "SANDBOX=inside"},
		{file: user, text: `"windows-native"`, env: "GEMINI_SANDBOX=false"},
		{file: user, text: `true`, env: "GEMINI_SANDBOX=windows-native", fails: true},
		{file: user, text: `"windows-native"`, no: true},
		{file: user, text: `false`},
		{file: folder, text: `"windows-native"`, fails: true},
	} {
		u := projecttest.NewUser(t, tt.env)
		u.Write(tt.file, `{"tools": {"sandbox": `+tt.text+`}}`)
		_, err := u.TryOpen(trusted, func(o *project.Options) {
			if o.ApprovalMode = tt.mode; tt.no {
				flag("tools.sandbox", false)(o)
			}
		})
		warnings := u.TakeWarnings()
		if got := strings.Contains(warnings, warning); got != tt.warns || (exit.CodeOf(err) == exit.Sandbox) != tt.fails {
			t.Errorf("%+v: %v, warnings %q", tt, err, warnings)
		}
		if tt.fails && tt.mode == "yolo" && !strings.Contains(err.Error(), "in YOLO mode nothing else restricts what runs. Use --no-sandbox") {
			t.Errorf("%+v: %v", tt, err)
		}
	}
}

// TestRequiredSandbox checks that no session starts without the sandbox where the settings of the system require it.
func TestRequiredSandbox(t *testing.T) {
	t.Parallel()
	if sandbox.Available() != nil || sandbox.Gap() != "" {
		t.Skip("NOT TESTED: this machine cannot confine commands")
	}
	for _, tt := range []struct {
		env  string
		set  any // tools.sandbox by a flag
		want string
	}{
		{"", nil, ""},
		{"", true, ""},
		{"SANDBOX=inside", nil, ""},
		{"", false, "It is switched off"},
		{"GEMINI_SANDBOX=false", nil, "It is switched off"},
		{"", "docker", "asks for a container"},
	} {
		u := projecttest.NewUser(t, tt.env)
		u.Write("~/.gemini/settings.json", `{"pollux": {"sandboxRequired": true}}`)
		u.Write(".gemini/settings.json", `{"pollux": {"sandboxRequired": false}}`)
		_, err := u.TryOpen(trusted, flag("tools.sandbox", tt.set))
		if tt.want == "" && err != nil || tt.want != "" && (exit.CodeOf(err) != exit.Sandbox || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%+v: %v", tt, err)
		}
	}
}

// TestCheckSandbox checks which settings and variables ask for a sandbox, and for which one.
func TestCheckSandbox(t *testing.T) {
	t.Parallel()
	const none, own, standard, other = "none", "its own", "its own if there is one", "another"
	for _, tt := range []struct {
		key     string
		setting any
		env     string
		want    string
	}{
		{"tools.sandbox", nil, "", standard},
		{"tools.sandbox", true, "", own},
		{"tools.sandbox", false, "", none},
		{"tools.sandbox", "windows-native", "", other},
		{"tools.sandbox", "docker", "", other}, // a container, which only a face starts
		{"tools.sandbox", "lxc", "", other},
		{"tools.sandbox", true, "GEMINI_SANDBOX=runsc", other},
		{"tools.sandbox", "TRUE", "", own},
		{"tools.sandbox", "landlock", "", own},
		{"tools.sandbox", "false", "", none},
		{"tools.sandbox", " FALSE ", "", none},
		{"tools.sandbox", "0", "", none},
		{"tools.sandbox", map[string]any{"enabled": true}, "", own},
		{"tools.sandbox", map[string]any{"enabled": true, "command": "podman"}, "", other},
		{"tools.sandbox", map[string]any{"command": "windows-native"}, "", standard},
		{"tools.sandbox", map[string]any{"networkAccess": false}, "", standard},
		{"tools.sandbox", map[string]any{"enabled": false}, "", none},
		{"tools.sandbox", "", "", standard},
		{"security.toolSandboxing", true, "", own},
		{"security.toolSandboxing", false, "", none},
		{"tools.sandbox", true, "SANDBOX=inside", none},
		{"tools.sandbox", true, "GEMINI_SANDBOX=false", own}, // the setting is a flag here
		{"tools.sandbox", nil, "GEMINI_SANDBOX=windows-native", other},
		{"tools.sandbox", nil, "GEMINI_SANDBOX=true", own},
		{"tools.sandbox", "windows-native", "GEMINI_SANDBOX=1", own},
		{"tools.sandbox", nil, "GEMINI_SANDBOX=0", none},
	} {
		p, err := projecttest.NewUser(t, tt.env).TryOpen(trusted, flag(tt.key, tt.setting))
		want := exit.OK
		if tt.want == other || tt.want == own && sandbox.Available() != nil {
			want = exit.Sandbox
		}
		isOn := tt.want == own || tt.want == standard && sandbox.Available() == nil
		if exit.CodeOf(err) != want || err == nil && p.Sandbox.IsOn() != isOn {
			t.Errorf("%s %v, %s: got %v", tt.key, tt.setting, tt.env, err)
		}
		if err != nil && strings.Contains(err.Error(), "GEMINI_SANDBOX") != (tt.env != "") {
			t.Errorf("%v, %s: the error names another source: %v", tt.setting, tt.env, err)
		}
	}
}

// TestStartWarnings checks the warnings about the directory.
func TestStartWarnings(t *testing.T) {
	t.Parallel()
	const home, root = "running Pollux in your home directory", "running Pollux in the root directory"
	for name, tt := range map[string]struct {
		settings string
		dir      func(*projecttest.User) string
		change   func(*project.Options)
		want     string
	}{
		"a project":              {dir: func(u *projecttest.User) string { return u.Dir }},
		"home":                   {dir: func(u *projecttest.User) string { return u.Home }, settings: `{"security": {"folderTrust": {"enabled": false}}}`, want: home},
		"home, which is trusted": {dir: func(u *projecttest.User) string { return u.Home }},
		"home, without warning":  {dir: func(u *projecttest.User) string { return u.Home }, settings: `{"security": {"folderTrust": {"enabled": false}}, "ui": {"showHomeDirectoryWarning": false}}`},
		"the root":               {dir: func(u *projecttest.User) string { return filepath.VolumeName(u.Dir) + string(filepath.Separator) }, want: root},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u := projecttest.NewUser(t)
			if tt.settings != "" {
				u.Write("~/.gemini/settings.json", tt.settings)
			}
			u.Open(trusted, func(o *project.Options) { o.Dir = tt.dir(u) })
			if text := u.TakeWarnings(); text != "" != (tt.want != "") || !strings.Contains(text, tt.want) {
				t.Errorf("warnings: %s", text)
			}
		})
	}
}

// TestUnused checks the notice about settings and variables without effect: it names them, and comes once for the
// same settings.
func TestUnused(t *testing.T) {
	t.Parallel()
	u := projecttest.NewUser(t)
	u.Write("~/.gemini/settings.json", `{"experimental": {"voice": {"backend": "whisper"}}}`)
	u.Open(trusted)
	if text := u.TakeWarnings(); text != "" {
		t.Errorf("a script needs no dictation: %s", text)
	}
	u.Open(trusted, u.AtTerminal)
	if text := u.TakeWarnings(); text != "1 setting has no effect yet: experimental.voice.backend. Details: pollux doctor" {
		t.Errorf("warnings: %s", text)
	}
	u.Open(trusted, u.AtTerminal)
	if text := u.TakeWarnings(); text != "" {
		t.Errorf("shown again: %s", text)
	}
	u.Write("~/.gemini/settings.json", `{"experimental": {"voiceMode": true}}`)
	u.Open(trusted, u.AtTerminal)
	if text := u.TakeWarnings(); !strings.Contains(text, "experimental.voiceMode") {
		t.Errorf("after a change the warnings are: %s", text)
	}
	u.Write("~/.gemini/settings.json", `{"hooksConfig": {"notifications": false}, "experimental": {"gemma": false, "extensionRegistry": true, "voiceMode": true, "voice": {"activationMode": "toggle", "backend": "whisper", "stopGracePeriodMs": 5}}}`)
	u.Open(trusted, u.AtTerminal)
	if text := u.TakeWarnings(); len(text) > 150 || !strings.Contains(text, " and ") || !strings.Contains(text, " more. Details: pollux doctor") {
		t.Errorf("%d bytes: %s", len(text), text)
	}
}

// TestWarn checks who gets warnings, and when they are muted.
func TestWarn(t *testing.T) {
	t.Parallel()
	u := projecttest.NewUser(t)
	p := u.Open(trusted, u.AtTerminal)
	var watched []string
	stop := p.WatchWarnings(func(text string) { watched = append(watched, text) })
	p.Warn("See " + u.Path("~/notes"))
	unmute := p.Mute()
	p.Warn("muted")
	unmute()
	var other []string
	p.WithWarn(func(text string) { other = append(other, text) }).Warn("elsewhere")
	p.WithWarn(nil).Warn("nowhere")
	stop()
	p.Warn("last")
	if text := u.TakeWarnings(); text != "See ~/notes\nlast" {
		t.Errorf("the user sees %q", text)
	}
	if all := strings.Join(watched, ", ") + "; " + strings.Join(other, ", "); all != "See ~/notes; elsewhere" {
		t.Errorf("others see %q", all)
	}
	script := u.Open(trusted)
	if script.Warn("See " + u.Path("~/notes")); u.TakeWarnings() != "See "+u.Path("~/notes") {
		t.Error("a script gets a short path")
	}
	silent := u.Options()
	silent.Warn = nil
	project.New(silent).Warn("dropped")
}

// TestLog checks where log records go: to the handlers of the program, to the screen if debugging is on, and to a
// file that the environment names, which has the warnings as well. Secrets are removed.
func TestLog(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		env       string
		debug     bool
		debugging bool
	}{{"", false, false}, {"", true, true}, {"DEBUG=1", false, true}, {"DEBUG_MODE=true", false, true}, {"DEBUG=yes", false, false}} {
		u := projecttest.NewUser(t, tt.env, "MY_TOKEN=s3cret-value-of-mine")
		var screen, own bytes.Buffer
		p := u.Open(trusted, func(o *project.Options) {
			o.Debug, o.DebugLog, o.Log = tt.debug, &screen, slog.New(slog.NewTextHandler(&own, nil))
		})
		p.Log.Info("begin", "value", "s3cret-value-of-mine")
		if p.Debugging() != tt.debugging || strings.Contains(screen.String(), "begin") != tt.debugging || !strings.Contains(own.String(), "begin") {
			t.Errorf("%+v: debugging %v, the screen has %q", tt, p.Debugging(), screen.String())
		}
		if strings.Contains(screen.String(), "s3cret") {
			t.Errorf("the screen has a secret: %s", screen.String())
		}
	}
	u := projecttest.NewUser(t, "GEMINI_DEBUG_LOG_FILE=debug.log", "MY_TOKEN=s3cret-value-of-mine")
	p := u.Open(trusted)
	p.Log.Debug("begin", "value", "s3cret-value-of-mine")
	p.Warn("Careful")
	var more bytes.Buffer
	remove := p.AddLog(slog.NewTextHandler(&more, &slog.HandlerOptions{Level: slog.LevelWarn}))
	p.Log.Warn("kept")
	p.Log.Debug("below the level")
	remove()
	p.Log.Warn("removed")
	p.Close()
	if text := u.Read("debug.log"); !strings.Contains(text, "begin") || !strings.Contains(text, "Careful") || strings.Contains(text, "s3cret") {
		t.Errorf("the file has %q", text)
	}
	if text := more.String(); !strings.Contains(text, "kept") || strings.Contains(text, "below") || strings.Contains(text, "removed") {
		t.Errorf("the handler got %q", text)
	}
	u = projecttest.NewUser(t, "GEMINI_DEBUG_LOG_FILE=.")
	u.Open(trusted)
	if text := u.TakeWarnings(); !strings.HasPrefix(text, "Warning: Cannot write the debug log (GEMINI_DEBUG_LOG_FILE): ") {
		t.Errorf("warnings: %s", text)
	}
}

// TestUserAgentHeader checks the header in the layout of Gemini CLI.
func TestUserAgentHeader(t *testing.T) {
	t.Parallel()
	for env, want := range map[string]string{
		"":                          "; terminal)",
		"GITHUB_SHA=1":              "; GitHub)",
		"SURFACE=vscode":            "; vscode)",
		"GEMINI_CLI_SURFACE=jet":    "; jet)",
		"GEMINI_CLI_SURFACE=":       "; terminal)",
		"GITHUB_SHA=":               "; terminal)",
		"GEMINI_CLI_SURFACE=GitHub": "; GitHub)",
	} {
		p := projecttest.NewUser(t, env).Load()
		if got := p.UserAgentHeader(); !strings.HasPrefix(got, "Pollux/1.2.3/{model} (") || !strings.HasSuffix(got, want) {
			t.Errorf("%s: %s", env, got)
		}
	}
	own := projecttest.NewUser(t).Load(func(o *project.Options) { o.UserAgent = "Mine/{model}" })
	if got := own.UserAgentHeader(); got != "Mine/{model}" {
		t.Error(got)
	}
}

// TestReload checks that a change of the settings counts at once, and that settings which cannot be read change
// nothing.
func TestReload(t *testing.T) {
	t.Parallel()
	u := projecttest.NewUser(t)
	u.Write("~/.gemini/settings.json", `{"general": {"preferredEditor": "vim"}, "tools": {"exclude": 5}}`)
	p := u.Open(trusted, u.AtTerminal)
	shared := p.WithWarn(nil)
	u.TakeWarnings()
	u.Write("~/.gemini/settings.json", `{"general": {"preferredEditor": "zed"}, "tools": {"exclude": 5}}`)
	if err := p.Reload(); err != nil {
		t.Fatal(err)
	}
	for _, each := range []*project.Project{p, shared} {
		if got := config.PreferredEditor.In(each.Settings()); got != "zed" {
			t.Errorf("after a reload the editor is %q", got)
		}
	}
	u.Write("~/.gemini/settings.json", `{`)
	if err := p.Reload(); err == nil || config.PreferredEditor.In(p.Settings()) != "zed" {
		t.Errorf("%v, the editor is %q", err, config.PreferredEditor.In(p.Settings()))
	}
	if text := u.TakeWarnings(); text != "" {
		t.Errorf("a reload repeats warnings: %s", text)
	}
}

// TestOpenEndsWithContext checks that a question which the end of the context interrupts ends the opening.
func TestOpenEndsWithContext(t *testing.T) {
	t.Parallel()
	u := projecttest.NewUser(t)
	o := u.Options()
	u.AtTerminal(&o)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := project.Open(ctx, o); err == nil {
		t.Error("the project is open")
	}
	if _, err := os.Stat(u.Path("~/.gemini/trustedFolders.json")); err == nil {
		t.Error("a decision about the folder is stored")
	}
}
