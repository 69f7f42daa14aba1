package slash

import (
	"cmp"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pollux/agent"
	"pollux/internal/app"
	"pollux/internal/config"
	"pollux/internal/guard/policy"
	"pollux/internal/guard/trust"
	"pollux/internal/scriptmodel"
	"pollux/llm"
	"pollux/llm/gemini"
	"pollux/tool"
)

// desk is a session of somebody's, with a real app and a scripted model.
type desk struct {
	*Session
	t         *testing.T
	home, dir string
	// answers are what the person says next; asked is what they were asked.
	answers []string
	asked   []tool.Question
}

// setup is how a desk is made.
type setup struct {
	settings string
	model    string // the script
	mode     string // default, if it is ""
	change   func(o *app.Options)
}

func newDesk(t *testing.T, with setup) *desk {
	t.Helper()
	d := &desk{t: t, home: real(t, t.TempDir()), dir: real(t, t.TempDir())}
	if with.settings != "" {
		d.file(filepath.Join(d.home, ".gemini", "settings.json"), with.settings)
	}
	env := config.NewEnv("GEMINI_CLI_HOME="+d.home, "GEMINI_CLI_SYSTEM_SETTINGS_PATH="+d.home+"/none.json", "PATH="+os.Getenv("PATH"))
	paths := config.NewPaths(env, d.dir)
	load := func() (*config.Settings, error) {
		s, _, err := config.Load(config.Sources{Paths: paths, Env: env, Trusted: func(*config.Settings) (bool, error) { return true, nil }})
		return s, err
	}
	settings, err := load()
	if err != nil {
		t.Fatal(err)
	}
	mode, err := policy.ParseMode(cmp.Or(with.mode, "default"))
	if err != nil {
		t.Fatal(err)
	}
	o := app.Options{
		Settings: settings, Env: env, Paths: paths, Model: "gemini-2.5-flash", SessionID: "first", Mode: mode,
		Interactive: true, Trusted: true, Generator: d.model(with.model),
		Warn: func(text string) { t.Error(text) }, Log: slog.New(slog.DiscardHandler),
	}
	if with.change != nil {
		with.change(&o)
	}
	a, err := app.New(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.Close)
	d.Session = &Session{
		App: a, Settings: settings, Env: env, Paths: paths, Version: "1.2.3", Ask: d.answer, Reload: load,
		Trust: trust.Options{Dir: d.dir, File: filepath.Join(d.home, ".gemini", "trustedFolders.json"), Enabled: true},
	}
	return d
}

func real(t *testing.T, dir string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func (d *desk) file(path, text string) string {
	d.t.Helper()
	if !filepath.IsAbs(path) {
		path = filepath.Join(d.dir, path)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		d.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		d.t.Fatal(err)
	}
	return path
}

func (d *desk) model(text string) llm.Generator {
	d.t.Helper()
	if text == "" {
		text = "turn\n  text nothing to say\n"
	}
	script, err := scriptmodel.Parse(text)
	if err != nil {
		d.t.Fatal(err)
	}
	server, err := scriptmodel.Start(script, scriptmodel.Options{})
	if err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() { _ = server.Close() })
	g, err := gemini.New(gemini.Options{APIKey: "k", BaseURL: server.URL()})
	if err != nil {
		d.t.Fatal(err)
	}
	return g
}

// answer is the person.
func (d *desk) answer(_ context.Context, c tool.Confirmation) (agent.Answer, error) {
	q := c.(*tool.QuestionConfirmation).Questions[0]
	d.asked = append(d.asked, q)
	if len(d.answers) == 0 {
		return agent.Answer{Outcome: tool.Cancel}, nil
	}
	said := d.answers[0]
	d.answers = d.answers[1:]
	return agent.Answer{Outcome: tool.ProceedOnce, Reply: &tool.Reply{Answers: map[string]string{"0": said}}}, nil
}

// prompt has the model answer a prompt.
func (d *desk) prompt(text string) {
	d.t.Helper()
	for e, err := range d.App.Agent.Run(d.t.Context(), agent.Prompt{Parts: []llm.Part{llm.Text(text)}}) {
		if err != nil {
			d.t.Fatal(err)
		}
		d.App.Stats.See(e)
		if asked, ok := e.(agent.ToolAsked); ok {
			asked.Answer(agent.Answer{Outcome: tool.ProceedAlways})
		}
	}
}

// run runs a command that must be known and need nobody who is not there.
func (d *desk) run(line string) Result {
	d.t.Helper()
	r, known, err := d.Run(d.t.Context(), line)
	if !known || err != nil {
		d.t.Fatalf("%s: known %v, %v", line, known, err)
	}
	if strings.ContainsAny(r.Text, "\x00\x1b\r\u202e") {
		d.t.Errorf("%s: the text is not clean: %q", line, r.Text)
	}
	return r
}

// says runs a command whose text must have these parts.
func (d *desk) says(line string, parts ...string) Result {
	d.t.Helper()
	r := d.run(line)
	if r.Failed {
		d.t.Errorf("%s failed: %s", line, r.Text)
	}
	d.has(line, r, parts)
	return r
}

// fails runs a command that must not work, and say these things.
func (d *desk) fails(line string, parts ...string) Result {
	d.t.Helper()
	r := d.run(line)
	if !r.Failed || r.Err == nil {
		d.t.Errorf("%s works: %s", line, r.Text)
	}
	d.has(line, r, parts)
	return r
}

func (d *desk) has(line string, r Result, parts []string) {
	d.t.Helper()
	for _, part := range parts {
		if !strings.Contains(r.Text, part) {
			d.t.Errorf("%s does not say %q:\n%s", line, part, r.Text)
		}
	}
}

// history is what was said, beside what opens the conversation.
func (d *desk) history() string {
	var all []string
	for _, m := range d.App.Agent.History()[1:] {
		all = append(all, m.Content.Text())
	}
	return strings.Join(all, " | ")
}
