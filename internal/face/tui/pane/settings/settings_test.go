package settings

import (
	"strings"
	"testing"

	"pollux/internal/config"
	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/pane"
	"pollux/internal/face/tui/pane/panetest"
	"pollux/internal/manage/managetest"
	manage "pollux/internal/manage/settings"
)

var _ pane.Waiter = (*Pane)(nil)

// person is a user with a session and the pane.
type person struct {
	*managetest.Person
	pane *Pane
}

func newPerson(t *testing.T, user, workspace string) *person {
	t.Helper()
	p := &person{Person: managetest.New(t, user)}
	if workspace != "" {
		p.Write(".gemini/settings.json", workspace)
	}
	project := p.Open().Project
	p.pane = New(project.Settings, pane.NewScopes(project.Settings(), project.Paths), keys.Default("linux"))
	return p
}

// press types keys by their names, and returns the effect of the last one.
func (p *person) press(names ...string) (o pane.Outcome) {
	return panetest.Press(p.pane, p.pane.bindings, names...)
}

// search selects the best match of a text.
func (p *person) search(text string) {
	p.press("escape")
	p.pane.Handle(keys.Paste{Text: text}, p.pane.bindings)
}

// run runs the / command that the last key has chosen, as the face does.
func (p *person) run(o pane.Outcome) {
	p.Helper()
	chosen, ok := o.(pane.Chosen)
	if !ok || !chosen.Stays {
		p.Fatalf("%#v is no command, or closes the pane", o)
	}
	name, text, _ := strings.Cut(strings.TrimPrefix(chosen.Command, "/settings "), " ")
	_, _, err := p.Slash(manage.Command(), name, text)
	problem := ""
	if err != nil {
		problem = err.Error()
	}
	p.pane.Done(problem)
}

// row returns the selected row.
func (p *person) row() string {
	p.Helper()
	for line := range strings.Lines(p.text(120, 24)) {
		if row, ok := strings.CutPrefix(line, "❯ "); ok {
			return strings.Join(strings.Fields(row), " ")
		}
	}
	return ""
}

// text returns the pane as text, with the cursor.
func (p *person) text(width, height int) string {
	p.Helper()
	return panetest.TextWithCursor(p, p.pane, width, height)
}

func (p *person) want(row string, parts ...string) {
	p.Helper()
	if got := p.row(); got != row {
		p.Errorf("the row is %q, not %q", got, row)
	}
	screen := strings.Join(strings.Fields(p.text(160, 40)), " ")
	for _, part := range parts {
		if !strings.Contains(screen, part) {
			p.Errorf("%q is missing in\n%s", part, p.text(160, 40))
		}
	}
}

func TestToggle(t *testing.T) {
	t.Parallel()
	p := newPerson(t, `{}`, "")
	p.search("general.vimMode")
	p.want("Vim mode false", "Use vi keys in the input box.", "general.vimMode is true or false. Default: false.")
	o := p.press("enter")
	if o != (pane.Chosen{Command: "/settings set general.vimMode true", Stays: true}) {
		t.Error(o)
	}
	p.run(o)
	p.want("Vim mode true*", "In effect: true (user).")
	p.run(p.press("enter"))
	p.want("Vim mode false")
	if strings.Contains(p.text(160, 40), "next time") {
		t.Error(p.text(160, 40))
	}
	p.run(p.press("ctrl+l"))
	p.want("Vim mode false")
	if o := p.press("ctrl+l"); o != (pane.Changed{}) {
		t.Error(o)
	}
	p.want("Vim mode false", "This setting is not in the user settings.")
	p.search("sessionTitles")
	p.want("Session titles true")
	p.run(p.press("enter"))
	p.search("notification method")
	p.run(p.press("enter"))
	p.search("security auth external")
	p.want("Security: auth: use external unset")
	p.run(p.press("enter"))
	p.want("Security: auth: use external true*", "Takes effect the next time you start Pollux: Session titles, Security: auth: use external.")
	p.run(p.press("enter"))
	p.want("Security: auth: use external false*", "Pollux: Session titles, Security: auth: use external.")
}

func TestEnum(t *testing.T) {
	t.Parallel()
	p := newPerson(t, `{}`, "")
	p.search("notification method")
	for _, want := range []string{"osc9*", "osc777*", "bell*", "auto"} {
		p.run(p.press("enter"))
		p.want("Notification method " + want)
	}
	p.search("preferred editor")
	p.want("Preferred editor unset")
	p.run(p.press("enter"))
	p.want("Preferred editor vscode*")
}

func TestEdit(t *testing.T) {
	t.Parallel()
	p := newPerson(t, `{"ui": {"footer": {"items": ["a"]}}}`, "")
	for _, c := range []struct{ search, keys, command, row string }{
		{"model max session turns", "enter", "", "Model: max session turns -1"},
		{"", "backspace backspace 7 enter", "/settings set model.maxSessionTurns 7", "Model: max session turns 7*"},
		{"ui.theme", "enter", "", "Theme unset"},
		{"", "A y u enter", "/settings set ui.theme Ayu", "Theme Ayu*"},
		{"", "enter enter", "", "Theme Ayu*"},
		{"", "enter 2 escape", "", "Theme Ayu*"},
		{"", "enter backspace backspace backspace enter", "/settings unset ui.theme", "Theme unset"},
		{"", "enter space x enter", `/settings set ui.theme " x"`, "Theme x*"},
		{"footer items", "enter", "", `Footer: items ["a"]*`},
		{"", "ctrl+u b , space , c enter", `/settings set ui.footer.items ["b","c"]`, `Footer: items ["b","c"]*`},
		{"", `enter ctrl+u [ " d " ] enter`, `/settings set ui.footer.items ["d"]`, `Footer: items ["d"]*`},
		{"", "enter ctrl+u enter", "/settings unset ui.footer.items", "Footer: items unset"},
		{"context.fileName", "enter A enter", "/settings set context.fileName A", "Context: file name A*"},
		{"", `enter ctrl+u [ " B " ] enter`, `/settings set context.fileName ["B"]`, `Context: file name ["B"]*`},
		{"summarize tool output", "enter", "", "Model: summarize tool output unset"},
		{"tools.shell.pager", "enter ctrl+u enter", "", "Tools: shell: pager cat"},
	} {
		if c.search != "" {
			p.search(c.search)
		}
		o := p.press(strings.Fields(c.keys)...)
		if chosen, ok := o.(pane.Chosen); ok != (c.command != "") || chosen.Command != c.command {
			t.Errorf("%s %s: %#v", c.search, c.keys, o)
		} else if ok {
			p.run(o)
		}
		p.want(c.row)
	}
}

func TestField(t *testing.T) {
	t.Parallel()
	p := newPerson(t, `{}`, "")
	p.search("model max session turns")
	p.press("enter")
	p.want("Model: max session turns -1", "Model: max session turns> -1 <- cursor at 28", "Enter save · Esc back")
	p.run(p.press("x", "enter"))
	p.want("Model: max session turns -1", "> -1x", "model.maxSessionTurns must be a number, not -1x.")
	p.press("backspace")
	if strings.Contains(p.text(160, 40), "must be") {
		t.Error(p.text(160, 40))
	}
	p.pane.Handle(keys.Paste{Text: "\n2\n"}, p.pane.bindings)
	p.run(p.press("enter"))
	p.want("Model: max session turns -12*", "Enter change · Ctrl+L reset · Esc close", "> model max session turns")
	if o := p.press("enter", "f12"); o != (pane.Ignored{}) {
		t.Error(o)
	}
	if o := p.press("escape", "escape"); o != (pane.Changed{}) || p.pane.picker.Search() != "" {
		t.Error(o)
	}
	if o := p.press("3", "enter"); o != (pane.Chosen{Command: "/settings set model.maxSessionTurns 3", Stays: true}) {
		t.Error(o) // a digit begins to edit the number
	}
	p.press("escape", "home")
	if p.press("3"); p.pane.picker.Search() != "3" {
		t.Error("a digit is not searched")
	}
	p.search("model max session turns")
	if p.press("3"); p.pane.edited != nil || p.pane.picker.Search() != "model max session turns3" {
		t.Error("a digit of a search edits the number")
	}
	p.search("tools shell pager")
	p.press("enter", "backspace", "backspace", "backspace")
	p.want("Tools: shell: pager cat", "> Empty for the default")
}

func TestScopes(t *testing.T) {
	t.Parallel()
	p := newPerson(t, `{"model": {"maxSessionTurns": 5, "compressionThreshold": 0.3}}`, `{"model": {"maxSessionTurns": 6}, "ui": {"hideBanner": true}}`)
	p.search("model max session turns")
	p.want("Model: max session turns 5* (Also modified in Workspace)", "In effect: 6 (workspace).", "● User ○ Workspace ○ System (Tab)")
	p.press("tab")
	p.want("Model: max session turns 6* (Also modified in User)", "○ User ● Workspace ○ System (Tab)")
	p.search("hide banner")
	p.want("Hide banner true*")
	o := p.press("enter")
	if o != (pane.Chosen{Command: "/settings set --scope=workspace ui.hideBanner false", Stays: true}) {
		t.Error(o)
	}
	p.press("tab", "tab")
	p.want("Hide banner false (Modified in Workspace)")
	p.search("ui.theme")
	p.press("tab", "enter", "X")
	if o := p.press("enter"); o != (pane.Chosen{Command: "/settings set --scope=workspace ui.theme X", Stays: true}) {
		t.Error(o)
	}
	p.press("escape", "tab", "tab")
	p.search("model max session turns")
	p.press("enter", "ctrl+u", "9")
	p.run(p.press("enter"))
	p.want("Model: max session turns 9* (Also modified in Workspace)", "The workspace settings have another value, which wins.")
	p.press("down")
	if strings.Contains(p.text(160, 40), "which wins") {
		t.Error(p.text(160, 40))
	}
}

func TestProblem(t *testing.T) {
	t.Parallel()
	p := newPerson(t, `{}`, "")
	p.search("vim mode")
	p.press("enter")
	p.pane.Done("Cannot\x1b[2J write.")
	p.want("Vim mode false", "Cannot write.")
	p.search("mcpServers")
	if o := p.press("enter"); o != (pane.Changed{}) {
		t.Error(o)
	}
	p.want("MCP servers unset", "The value is JSON. To change it, run /settings set mcpServers VALUE.")
	if o := p.press("escape"); o != (pane.Changed{}) {
		t.Error(o)
	}
	if o := p.press("escape"); o != (pane.Closed{}) {
		t.Error(o)
	}
	p.search("qwerty qwerty")
	for _, key := range []string{"enter", "ctrl+l"} {
		if o := p.press(key); o != (pane.Ignored{}) {
			t.Errorf("%s: %#v", key, o)
		}
	}
	p.pane.Done("")
}

// TestSecrets checks that the list does not show credentials.
func TestSecrets(t *testing.T) {
	t.Parallel()
	p := newPerson(t, `{"mcpServers": {"a": {"env": {"TOKEN": "s3cret"}, "url": "http://127.0.0.1:9"}}}`, "")
	p.search("mcpServers")
	if screen := p.text(160, 60); strings.Contains(screen, "s3cret") || strings.Count(screen, `{"a":{"env":{"TOKEN":"***`) != 2 {
		t.Error(screen)
	}
}

func TestLabels(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"general.vimMode": "Vim mode", "ui.footer.hideCWD": "Footer: hide CWD", "mcpServers": "MCP servers", "pollux.mcpWait": "MCP wait",
		"experimental.useOSC52Copy": "Experimental: use OSC52 copy", "tools.disableLLMCorrection": "Tools: disable LLM correction", "telemetry": "Telemetry",
		"billing.vertexAi.requestType": "Billing: Vertex AI: request type", "general.sessionRetention.maxAge": "Session retention: max age",
		"ui": "Ui", "x.aB": "X: a b",
	} {
		if got := label(path); got != want {
			t.Errorf("%s: %q", path, got)
		}
	}
	seen := map[string]string{}
	for _, s := range settings() {
		if other := seen[s.label]; other != "" {
			t.Errorf("%s and %s are both %q", other, s.key.Path, s.label)
		}
		if seen[s.label] = s.key.Path; s.key.Support == config.Inert {
			t.Errorf("%s has no effect", s.key.Path)
		}
		switch s.kind() {
		case "bool", "enum", "number", "string", "strings", "string|strings", "any", "array", "object", "record", "map":
		default:
			t.Errorf("%s has the unknown type %s", s.key.Path, s.key.Type)
		}
	}
	if all := settings(); all[0].key.Path != "general.checkpointing.enabled" || len(all) < 200 {
		t.Error(all[0].key.Path, len(all))
	}
}
