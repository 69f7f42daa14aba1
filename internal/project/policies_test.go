package project_test

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/guard/policy"
	"pollux/internal/guard/trust"
	"pollux/internal/mcp"
	"pollux/internal/project"
	"pollux/internal/project/projecttest"
)

// rule returns a policy file that decides about a tool.
func rule(tool, decision string) string {
	return "[[rule]]\ntoolName = \"" + tool + "\"\ndecision = \"" + decision + "\"\npriority = 100\n"
}

// decisions returns the rules of files, such as "glob:deny".
func decisions(r project.Rules) string {
	var list []string
	for _, rule := range r.Rules {
		list = append(list, strings.Join(rule.Tools, "+")+":"+string(rule.Decision))
	}
	slices.Sort(list)
	return strings.Join(list, " ")
}

// TestPolicies checks which policy files count, and where answers are saved that count in all future sessions.
func TestPolicies(t *testing.T) {
	t.Parallel()
	const workspacePolicies = `{"pollux": {"workspacePolicies": true}}`
	for name, tt := range map[string]struct {
		user     string // settings
		project  string // settings
		flags    map[string]any
		accepted bool
		decided  trust.State
		want     string
		saved    string // the file, "" for none
		warning  string
	}{
		"of the user":                   {want: "user:allow", saved: "~/.gemini/policies/auto-saved.toml"},
		"of the user's settings":        {user: `{"policyPaths": ["mine.toml"]}`, want: "mine:allow"},
		"of the settings and saved":     {user: `{"policyPaths": ["mine.toml", "~/.gemini/policies"]}`, want: "mine:allow user:allow", saved: "~/.gemini/policies/auto-saved.toml"},
		"of the command line":           {user: `{"policyPaths": ["~/.gemini/policies"]}`, flags: map[string]any{"policyPaths": []any{"mine.toml"}}, want: "mine:allow"},
		"missing on the command line":   {flags: map[string]any{"policyPaths": []any{"none.toml"}}, want: "", warning: "Warning: --policy names "},
		"missing in settings":           {user: `{"policyPaths": ["none.toml", " "]}`, want: ""},
		"only restrict, of a project":   {project: `{"policyPaths": ["mine.toml", "strict.toml"]}`, want: "strict:deny user:allow", saved: "~/.gemini/policies/auto-saved.toml", warning: "a project cannot have rules that allow"},
		"of a project that is trusted":  {user: `{"pollux": {"trustProjectSafety": true}}`, project: `{"policyPaths": ["mine.toml"]}`, want: "mine:allow user:allow", saved: "~/.gemini/policies/auto-saved.toml"},
		"of an administrator":           {user: `{"adminPolicyPaths": ["strict.toml"]}`, want: "strict:deny user:allow", saved: "~/.gemini/policies/auto-saved.toml"},
		"of no administrator":           {project: `{"adminPolicyPaths": ["strict.toml"]}`, want: "user:allow", saved: "~/.gemini/policies/auto-saved.toml", warning: "Ignoring adminPolicyPaths in workspace settings"},
		"of an administrator's flag":    {user: `{"adminPolicyPaths": ["none"]}`, flags: map[string]any{"adminPolicyPaths": []any{"strict.toml"}}, want: "strict:deny user:allow", saved: "~/.gemini/policies/auto-saved.toml"},
		"missing, of an administrator":  {flags: map[string]any{"adminPolicyPaths": []any{"none.toml"}}, want: "user:allow", saved: "~/.gemini/policies/auto-saved.toml", warning: "Warning: --admin-policy names "},
		"of a workspace":                {user: workspacePolicies, accepted: true, want: "halt:deny user:allow workspace:allow", saved: ".gemini/policies/auto-saved.toml"},
		"of a workspace, not accepted":  {user: workspacePolicies, want: "halt:deny user:allow", saved: "~/.gemini/policies/auto-saved.toml", warning: "a project cannot have rules that allow"},
		"of a workspace, not trusted":   {user: workspacePolicies, decided: trust.Untrusted, want: "user:allow", saved: "~/.gemini/policies/auto-saved.toml"},
		"of a workspace, by the folder": {project: workspacePolicies, want: "user:allow", saved: "~/.gemini/policies/auto-saved.toml"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u := projecttest.NewUser(t)
			u.Write("~/.gemini/policies/a.toml", rule("user", "allow"))
			u.Write("mine.toml", rule("mine", "allow"))
			u.Write("strict.toml", rule("strict", "deny"))
			u.Write(".gemini/policies/w.toml", rule("workspace", "allow")+rule("halt", "deny"))
			if tt.user != "" {
				u.Write("~/.gemini/settings.json", tt.user)
			}
			if tt.project != "" {
				u.Write(".gemini/settings.json", tt.project)
			}
			if tt.decided == trust.Unknown {
				tt.decided = trust.Trusted
			}
			p := u.Load(func(o *project.Options) { o.Flags, o.Folder = tt.flags, tt.decided })
			u.TakeWarnings()
			r, err := p.ReadPolicies(func(policy.Integrity) bool { return tt.accepted })
			if got := decisions(r); err != nil || got != tt.want {
				t.Errorf("the rules are %q, want %q; %v", got, tt.want, err)
			}
			saved := ""
			if r.Saved != nil {
				saved = r.Saved.File
			}
			if tt.saved != "" && saved != u.Path(tt.saved) || tt.saved == "" && saved != "" {
				t.Errorf("answers are saved in %q", saved)
			}
			if text := u.TakeWarnings(); !strings.Contains(text, tt.warning) || tt.warning == "" && text != "" {
				t.Errorf("warnings: %s", text)
			}
		})
	}
}

// TestAcceptsPolicies checks who must accept the project's policies, and when again.
func TestAcceptsPolicies(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		env      string
		level    trust.Level
		off      bool
		none     bool // there are no policies
		home     bool // the project is the home directory
		answer   string
		face     bool // a program that answers questions about calls alone
		want     bool
		asked    bool
		later    bool // accepted afterwards, as they are
		warning  string
		leaveOut int
	}{
		"a person accepts":             {level: trust.TrustFolder, answer: "Use them", want: true, asked: true, later: true},
		"a person refuses":             {level: trust.TrustFolder, answer: "Ignore them", asked: true},
		"a person does not answer":     {level: trust.TrustFolder, answer: "-", asked: true},
		"a script":                     {level: trust.TrustFolder, warning: "To accept them, start Pollux interactively.", leaveOut: 1},
		"a script with --skip-trust":   {env: "GEMINI_CLI_TRUST_WORKSPACE=true", want: true, later: true, warning: "Automatically accepting and loading them."},
		"a program with --skip-trust":  {env: "GEMINI_CLI_TRUST_WORKSPACE=true", face: true, warning: "To accept them, start Pollux interactively.", leaveOut: 1},
		"the settings do not want any": {level: trust.TrustFolder, answer: "Use them", off: true},
		"there are none":               {level: trust.TrustFolder, answer: "Use them", none: true, want: true, later: true},
		"the home directory":           {level: trust.TrustFolder, answer: "Use them", home: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u := projecttest.NewUser(t, tt.env)
			dir := u.Dir
			if tt.home {
				dir = u.Home
			}
			if tt.level != "" {
				decide(t, u, dir, tt.level)
			}
			if !tt.off {
				u.Write("~/.gemini/settings.json", `{"pollux": {"workspacePolicies": true}}`)
			}
			if !tt.none {
				u.Write(".gemini/policies/w.toml", rule("workspace", "allow"))
			}
			u.Answer(tt.answer)
			p := u.Load(func(o *project.Options) {
				o.Dir = dir
				if tt.answer != "" {
					u.AtTerminal(o)
				}
				o.Interactive = o.Interactive || tt.face
			})
			u.TakeWarnings()
			project := policy.Integrity{File: u.Path("~/.gemini/policy_integrity.json"), Dir: dir}
			accepts := func() bool { return p.AcceptsPolicies(t.Context(), project) }
			if got := accepts(); got != tt.want || len(p.LeftOut()) != tt.leaveOut {
				t.Errorf("accepted %v, left out %q", got, p.LeftOut())
			}
			if text := u.TakeWarnings(); !strings.Contains(text, tt.warning) || tt.warning == "" && text != "" {
				t.Errorf("warnings: %s", text)
			}
			if asked := u.TakeAsked(); len(asked) > 0 != tt.asked || tt.asked && !strings.Contains(asked[0].Text, project.Policies()) {
				t.Errorf("asked %+v", asked)
			}
			if accepts(); len(u.TakeAsked()) > 0 {
				t.Error("asked twice")
			}
			u.TakeWarnings()
			if got := p.HasAccepted(project); got != tt.later {
				t.Errorf("afterwards they are accepted: %v", got)
			}
			u.TakeWarnings()
			if !tt.later || tt.none {
				return
			}
			u.Write(".gemini/policies/w.toml", rule("workspace", "deny"))
			if p.HasAccepted(project) || !strings.Contains(u.TakeWarnings(), "Ignoring what workspace policies allow that are new or changed") {
				t.Error("a change is accepted")
			}
		})
	}
	u := projecttest.NewUser(t)
	decide(t, u, u.Dir, trust.TrustFolder)
	u.Write("~/.gemini/settings.json", `{"pollux": {"workspacePolicies": true}}`)
	u.Write(".gemini/policies/w.toml", rule("workspace", "allow"))
	broken := policy.Integrity{File: u.Write("~/.gemini/policy_integrity.json", "{broken"), Dir: u.Dir}
	u.Answer("Use them")
	p := u.Load(u.AtTerminal)
	if p.AcceptsPolicies(t.Context(), broken) || p.HasAccepted(broken) || len(u.TakeAsked()) > 0 || !strings.Contains(u.TakeWarnings(), "is not a list of hashes") {
		t.Error("policies are accepted although the accepted ones are unknown")
	}
}

// Policies that a person has refused do not even restrict.
func TestRefusedPolicies(t *testing.T) {
	t.Parallel()
	u := projecttest.NewUser(t)
	decide(t, u, u.Dir, trust.TrustFolder)
	u.Write("~/.gemini/settings.json", `{"pollux": {"workspacePolicies": true}}`)
	u.Write(".gemini/policies/w.toml", rule("halt", "deny"))
	for answer, want := range map[string]string{"Ignore them": "", "Use them": "halt:deny"} {
		p := u.Load(u.AtTerminal)
		u.Answer(answer)
		r, err := p.ReadPolicies(func(project policy.Integrity) bool { return p.AcceptsPolicies(t.Context(), project) })
		if got := decisions(r); err != nil || got != want {
			t.Errorf("%s: %q, %v", answer, got, err)
		}
		if err := os.RemoveAll(u.Path("~/.gemini/policy_integrity.json")); err != nil {
			t.Error(err)
		}
	}
}

// TestPolicyFiles checks the list of files in force, also with mistakes in them.
func TestPolicyFiles(t *testing.T) {
	t.Parallel()
	u := projecttest.NewUser(t)
	u.Write("~/.gemini/policies/a.toml", rule("user", "allow"))
	p := u.Load(trusted)
	files, err := p.PolicyFiles()
	if err != nil || len(files) != 1 || files[0].Path != u.Path("~/.gemini/policies/a.toml") {
		t.Errorf("%+v, %v", files, err)
	}
	u.Write("~/.gemini/policies/a.toml", rule("", "deny"))
	if files, err = p.PolicyFiles(); err != nil || len(files) != 1 {
		t.Errorf("with a mistake: %+v, %v", files, err)
	}
	if _, err := p.ReadPolicies(p.HasAccepted); exit.CodeOf(err) != exit.Config {
		t.Errorf("reading the rules: %v", err)
	}
	if i := p.Inspect(); exit.CodeOf(i.Refused) != exit.Config || i.Rules != 0 {
		t.Errorf("%+v", i)
	}
	if got := p.DisplayFile(u.Path("sub/x.toml")); got != filepath.Join("sub", "x.toml") {
		t.Error(got)
	}
	if got := p.DisplayFile(u.Path("~/x.toml")); got != "~/x.toml" {
		t.Error(got)
	}
}

// TestLostPolicies checks that a run without a person does not go on without a policy that may restrict it, and that a person
// is warned.
func TestLostPolicies(t *testing.T) {
	t.Parallel()
	u := projecttest.NewUser(t)
	u.Write("~/.gemini/policies/a.toml", strings.Replace(rule("user", "deny"), "deny", "block", 1))
	p := u.Load(trusted)
	_, err := p.ReadPolicies(p.HasAccepted)
	if exit.CodeOf(err) != exit.Config || !strings.Contains(err.Error(), "a script does not go on without them:\n"+u.Path("~/.gemini/policies/a.toml")+": line ") {
		t.Errorf("%v", err)
	}
	if i := p.Inspect(); exit.CodeOf(i.Refused) != exit.Config {
		t.Errorf("%+v", i)
	}
	u.TakeWarnings()
	p.Options.Asker = u
	if _, err := p.ReadPolicies(p.HasAccepted); err != nil || !strings.Contains(u.TakeWarnings(), "Schema validation failed") {
		t.Errorf("with a person: %v", err)
	}
}

// A home directory of another user has no policies. Only the settings warn that it cannot be entered.
func TestPoliciesOutOfReach(t *testing.T) {
	t.Parallel()
	u := projecttest.NewUser(t)
	if err := os.Chmod(u.Home, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(u.Home, 0o700) })
	if _, err := os.Stat(filepath.Join(u.Home, ".gemini")); os.IsNotExist(err) {
		t.Skip("nothing is out of reach for this user")
	}
	p := u.Load(trusted)
	_, err := p.ReadPolicies(func(policy.Integrity) bool { return false })
	if text := u.TakeWarnings(); err != nil || strings.Count(text, "Warning") != 1 {
		t.Errorf("%q, %v", text, err)
	}
}

// TestToolSettings checks the settings about tools, and whose servers are trusted.
func TestToolSettings(t *testing.T) {
	t.Parallel()
	u := projecttest.NewUser(t)
	u.Write(".gemini/settings.json", `{"mcpServers": {"b": {"trust": true}, "of-extension": {"trust": true}, "own": {"command": "x", "trust": true}}}`)
	u.Write("~/.gemini/settings.json", `{"tools": {"core": ["glob"], "allowed": ["ls"], "exclude": ["web_fetch"]}, "mcp": {"allowed": ["a"], "excluded": ["b"]},
		"mcpServers": {"a": {"command": "x", "trust": true}, "b": {"command": "x"}, "adjusted": {"trust": true}}}`)
	p := u.Load(trusted)
	p.Options.Host.Servers = []mcp.Config{{Name: "a"}, {Name: "c", Trust: true}}
	of := func(s policy.Settings) string {
		return strings.Join([]string{
			strings.Join(s.Core, "+"), strings.Join(s.Allowed, "+"), strings.Join(s.Exclude, "+"), strings.Join(s.AllowedServers, "+"), strings.Join(s.ExcludedServers, "+"), strings.Join(s.TrustedServers, "+"),
		}, " ")
	}
	if got := of(project.ToolSettings(p.Settings())); got != "glob ls web_fetch a b a+adjusted+own" {
		t.Errorf("of the settings: %s", got)
	}
	if got := of(p.ToolSettings()); got != "glob ls web_fetch a b adjusted+own+c" {
		t.Errorf("with those of the program: %s", got)
	}
}

// TestInspect checks the description of a new session.
func TestInspect(t *testing.T) {
	t.Parallel()
	u := projecttest.NewUser(t, "GEMINI_SYSTEM_MD=own.md")
	u.Write("~/.gemini/settings.json", `{"tools": {"discoveryCommand": "echo 'open", "callCommand": "x"}}`)
	u.Write("~/.gemini/policies/a.toml", rule("user", "allow"))
	p := u.Load(trusted)
	i := p.Inspect()
	if i.Rules != 1 || i.Refused != nil || !i.Discovers || exit.CodeOf(i.Undiscovered) != exit.Config || i.LacksCall || i.Instruction != u.Path("own.md") || i.Unread == nil {
		t.Errorf("%+v", i)
	}
	u.Write("own.md", "Be brief.")
	u.Write("~/.gemini/settings.json", `{"tools": {"discoveryCommand": "x"}}`)
	if err := p.Reload(); err != nil {
		t.Fatal(err)
	}
	if i := p.Inspect(); i.Discovers || !i.LacksCall || i.Unread != nil {
		t.Errorf("%+v", i)
	}
	p.Trust.Set(trust.Untrusted)
	if p.DiscoversTools() || p.LacksCallCommand() {
		t.Error("an untrusted folder has a command that lists tools")
	}
	if p.WarnOfRunners(nil); u.TakeWarnings() != "" {
		t.Error("a warning of nothing")
	}
	if p.WarnOfRunners([]string{"env", "sudo"}); !strings.Contains(u.TakeWarnings(), "programs that run others: env, sudo.") {
		t.Error("no warning")
	}
}

// TestSandboxFile checks when Gemini CLI's own file about the sandbox counts: where it would there.
func TestSandboxFile(t *testing.T) {
	t.Parallel()
	const on, file, bad = `{"security": {"toolSandboxing": true}}`, "[modes.default]\nnetwork = false\n", "modes = 1"
	for name, tt := range map[string]struct{ settings, file, want, err string }{
		"a file":           {on, file, "~/.gemini/policies/sandbox.toml", ""},
		"a broken file":    {on, bad, "~/.gemini/policies/sandbox.toml", "line 1: modes is not a table"},
		"no file":          {on, "", "built in", ""},
		"off":              {`{"security": {"toolSandboxing": false}}`, bad, "none", ""},
		"without settings": {`{}`, bad, "none", ""},
		"another sandbox":  {`{"tools": {"sandbox": true}}`, bad, "none", ""},
		"other policies":   {`{"policyPaths": ["/nowhere"], "security": {"toolSandboxing": true}}`, file, "~/.gemini/policies/sandbox.toml", ""},
	} {
		u := projecttest.NewUser(t)
		u.Write("~/.gemini/settings.json", tt.settings)
		if tt.file != "" {
			u.Write("~/.gemini/policies/sandbox.toml", tt.file)
		}
		r, err := u.Load().ReadPolicies(func(policy.Integrity) bool { return false })
		if tt.err != "" && (!errors.Is(err, config.ErrLost) || !strings.Contains(err.Error(), tt.err)) || tt.err == "" && err != nil {
			t.Errorf("%s: %v", name, err)
		}
		got := "none"
		if r.Sandbox != nil {
			got = cmp.Or(r.Sandbox.File, "built in")
		}
		if got != tt.want {
			t.Errorf("%s: %s", name, got)
		}
	}
}
