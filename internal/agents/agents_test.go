package agents_test

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"pollux/internal/a2a/a2atest"
	"pollux/internal/guard/trust"
	"pollux/internal/project"
	"pollux/internal/project/projecttest"
	"pollux/tool"
)

// listed returns the names of the subagents in the system instruction.
func listed(c *team, form tool.Form) string {
	var list []string
	for _, a := range c.Listed(form) {
		list = append(list, a.Name)
	}
	return strings.Join(list, " ")
}

// TestListed checks which subagents the model may call, by rules, by settings and in each form.
func TestListed(t *testing.T) {
	t.Parallel()
	const builtin = "codebase_investigator cli_help generalist"
	for name, tt := range map[string]struct {
		settings      string
		policy        string
		mode          string
		person        bool
		own           bool
		full, compact string
	}{
		"all":          {own: true, full: builtin + " helper", compact: "helper"},
		"built-in":     {full: builtin, compact: builtin},
		"off":          {settings: `{"experimental": {"enableAgents": false}}`, own: true},
		"denied":       {policy: "deny", own: true, full: "codebase_investigator cli_help generalist", compact: ""},
		"asked":        {policy: "ask_user", person: true, own: true, full: builtin + " helper", compact: "helper"},
		"not answered": {policy: "ask_user", own: true, full: builtin, compact: ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u := projecttest.NewUser(t)
			if tt.settings != "" {
				u.Write("~/.gemini/settings.json", tt.settings)
			}
			if tt.policy != "" {
				u.Write("~/.gemini/policies/a.toml", "[[rule]]\ntoolName = \"invoke_agent\"\nargsPattern = \"helper\"\ndecision = \""+tt.policy+"\"\npriority = 100\n")
			}
			if tt.own {
				u.Write("~/.gemini/agents/helper.md", definition("helper", ""))
			}
			c := newTeam(t, u, options{change: func(o *project.Options) {
				o.ApprovalMode, o.Interactive = "default", tt.person
			}})
			if got := listed(c, tool.Full); got != tt.full {
				t.Errorf("listed are %s", got)
			}
			if got := listed(c, tool.Compact); got != tt.compact {
				t.Errorf("in the compact form listed are %s", got)
			}
			isListed := strings.Contains(tt.full, "helper")
			if c.Has("helper") != isListed || c.Has("nothing") || (c.Tool() == nil) != (tt.full == "") {
				t.Errorf("the model can call it: %v", c.Has("helper"))
			}
		})
	}
}

// TestReload checks that a change of definitions and settings counts at once, and that broken settings change nothing.
func TestReload(t *testing.T) {
	t.Parallel()
	u := projecttest.NewUser(t)
	c := newTeam(t, u, options{})
	if c.HasOwn() {
		t.Error("there are own subagents")
	}
	u.Write("~/.gemini/agents/helper.md", definition("helper", ""))
	u.Write("~/.gemini/agents/broken.md", "---\nname: [\n---\n")
	u.Write("~/.gemini/settings.json", `{"agents": {"overrides": {"generalist": {"enabled": false}}}}`)
	u.TakeWarnings()
	problems, err := c.Reload(t.Context())
	if err != nil || len(problems) != 1 || !strings.Contains(problems[0], "broken.md") || !c.HasOwn() || !c.Has("helper") || c.Has("generalist") || u.TakeWarnings() != "" {
		t.Errorf("%q, %v", problems, err)
	}
	u.Write("~/.gemini/settings.json", `{`)
	if _, err := c.Reload(t.Context()); err == nil || !c.Has("helper") {
		t.Errorf("with broken settings: %v", err)
	}
	u.Write(".gemini/agents/theirs.md", definition("theirs", ""))
	c.project.Trust.Set(trust.Untrusted)
	if c.Refresh(t.Context()); strings.Contains(u.TakeWarnings(), "theirs") || len(c.Set().Enabled()) != 3 {
		t.Errorf("in an untrusted folder: %d", len(c.Set().Enabled()))
	}
}

// far returns the definition of a remote subagent.
func far(name, url, keys string) string {
	return "---\nkind: remote\nname: " + name + "\ndescription: About " + name + "\nagent_card_url: " + url + "\n" + keys + "---\n"
}

// answers makes a remote agent that answers with a text.
func answers(t *testing.T, o a2atest.Options) *a2atest.Agent {
	t.Helper()
	o.Events = func(string) []string {
		return []string{`{"kind":"message","messageId":"m","role":"agent","contextId":"CONTEXT","parts":[{"kind":"text","text":"From afar."}]}`}
	}
	a := a2atest.New(o)
	t.Cleanup(a.Close)
	return a
}

// TestRemote checks that the card of a remote subagent joins its description, that a call reaches it, and that one which
// cannot be reached is not offered.
func TestRemote(t *testing.T) {
	t.Parallel()
	a := answers(t, a2atest.Options{})
	u := projecttest.NewUser(t)
	u.Write("~/.gemini/agents/far.md", far("far", a.CardURL, ""))
	u.Write("~/.gemini/agents/gone.md", far("gone", a.URL+"/none", ""))
	c := newTeam(t, u, options{})
	d, _ := c.Set().Find("far")
	if about, err := c.About(d); about != "About far" || err != nil {
		t.Errorf("before the card: %q, %v", about, err)
	}
	if c.AwaitCards(t.Context()) {
		t.Error("cards have come that no one loads")
	}
	c.LoadCards()
	c.LoadCards()
	if !c.AwaitCards(t.Context()) || c.AwaitCards(t.Context()) {
		t.Error("the cards do not change the instruction once")
	}
	about, err := c.About(d)
	if err != nil || !strings.HasPrefix(about, "User Description: About far\nAgent Description: ") {
		t.Errorf("with the card: %q, %v", about, err)
	}
	gone, _ := c.Set().Find("gone")
	if about, err := c.About(gone); about != "About gone" || err == nil || !strings.Contains(u.TakeWarnings(), "gone") {
		t.Errorf("%q, %v", about, err)
	}
	if got := listed(c, tool.Full); !strings.Contains(got, "far") || strings.Contains(got, "gone") {
		t.Errorf("listed are %s", got)
	}
	if got := strings.Join(a.Log(), ", "); strings.Count(got, "card") != 1 {
		t.Errorf("the cards are loaded again: %s", got)
	}
	if r := c.invoke(t.Context(), "far", "Hello"); r.Error != nil || !strings.Contains(text(r), "From afar.") {
		t.Errorf("%s, %+v", text(r), r.Error)
	}
	c.Close()
	if about, err := c.About(d); about != "About far" || err != nil {
		t.Errorf("after the end: %q, %v", about, err)
	}
}

// A remote subagent that no rule lets the model call is not asked for its card, except by a check.
func TestCheck(t *testing.T) {
	t.Parallel()
	a := answers(t, a2atest.Options{})
	u := projecttest.NewUser(t)
	u.Write("~/.gemini/policies/a.toml", "[[rule]]\ntoolName = \"invoke_agent\"\ndecision = \"deny\"\npriority = 900\n")
	u.Write("~/.gemini/agents/far.md", far("far", a.CardURL, ""))
	c := newTeam(t, u, options{})
	c.LoadCards()
	if c.AwaitCards(t.Context()); len(a.Log()) > 0 {
		t.Errorf("the card is loaded: %q", a.Log())
	}
	c.Check(t.Context())
	d, _ := c.Set().Find("far")
	if about, err := c.About(d); err != nil || about == "About far" {
		t.Errorf("%q, %v", about, err)
	}
}

// TestCredentials checks whose definitions get variables with secrets, and run commands for their credentials.
func TestCredentials(t *testing.T) {
	t.Parallel()
	const token = "token-of-mine-0123"
	allow := func(r *http.Request) bool { return r.Header.Get("Authorization") == "Bearer "+token }
	for name, tt := range map[string]struct {
		keys    string
		project bool
		err     string
	}{
		"a variable of the user": {keys: "auth: {type: http, scheme: bearer, token: $MY_TOKEN}\n"},
		"a variable":             {keys: "auth: {type: http, scheme: bearer, token: $MY_TOKEN}\n", project: true, err: "an agent of a project does not get $MY_TOKEN, which holds a secret."},
		"a command of the user":  {keys: "auth: {type: http, scheme: bearer, token: \"!cat token\"}\n"},
		"a command":              {keys: "auth: {type: http, scheme: bearer, token: \"!cat token\"}\n", project: true, err: "an agent of a project runs no commands for its credentials."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := answers(t, a2atest.Options{Allow: allow})
			u := projecttest.NewUser(t, "MY_TOKEN="+token)
			u.Write("~/token", token)
			dir := "~/.gemini/agents"
			if tt.project {
				dir = ".gemini/agents"
			}
			u.Write(filepath.Join(dir, "far.md"), far("far", a.CardURL, tt.keys))
			u.Answer("Use them")
			c := newTeam(t, u, options{change: u.AtTerminal})
			if names := listed(c, tool.Full); !strings.Contains(names, "far") {
				t.Fatalf("listed are %s; %s", names, u.TakeWarnings())
			}
			r := c.invoke(t.Context(), "far", "Hello")
			if all := text(r) + u.TakeWarnings(); tt.err == "" && !strings.Contains(all, "From afar.") || !strings.Contains(all, tt.err) || strings.Contains(all, token) {
				t.Errorf("%s, %+v", all, r.Error)
			}
		})
	}
	u := projecttest.NewUser(t)
	u.Write("~/.gemini/agents/far.md", far("far", "http://127.0.0.1:1/card", "auth: {type: unheard}\n"))
	c := newTeam(t, u, options{})
	c.Check(t.Context())
	if d, found := c.Set().Find("far"); found {
		if _, err := c.About(d); err == nil {
			t.Error("an unknown kind of credential is accepted")
		}
	}
}
