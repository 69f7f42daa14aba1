package slash

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pollux/agent"
	"pollux/internal/config"
	"pollux/internal/guard/trust"
	"pollux/internal/project"
	"pollux/internal/scriptmodel"
	"pollux/internal/scriptmodel/scripttest"
	"pollux/internal/session"
	"pollux/internal/stats/recent"
	"pollux/internal/terminal"
	"pollux/llm"
	"pollux/llm/gemini"
	"pollux/tool"
)

// driver runs / commands in a session with a scripted model.
type driver struct {
	*Runner
	t         *testing.T
	home, dir string
	// answers are the user's next answers; asked collects the questions.
	answers []string
	asked   []tool.Question
}

// setup is the configuration of a driver.
type setup struct {
	settings string           // content of the user's settings.json
	model    string           // the model's script
	mode     string           // approval mode, "" for default
	recorded bool             // the session is recorded
	trusted  string           // level in trustedFolders.json, "" to trust the folder by option
	before   func(dir string) // called before the session opens
}

// newDriver opens a session for a test.
func newDriver(t *testing.T, with setup) *driver {
	t.Helper()
	d := &driver{t: t, home: realPath(t, t.TempDir()), dir: realPath(t, t.TempDir())}
	if with.settings != "" {
		d.file(filepath.Join(d.home, ".gemini", "settings.json"), with.settings)
	}
	env := config.NewEnv("GEMINI_CLI_HOME="+d.home, "GEMINI_CLI_SYSTEM_SETTINGS_PATH="+d.home+"/none.json", "PATH="+os.Getenv("PATH"))
	if with.before != nil {
		with.before(d.dir)
	}
	folder := trust.Trusted
	if with.trusted != "" {
		folder = trust.Unknown
		d.file(filepath.Join(d.home, ".gemini", "trustedFolders.json"), `{"`+d.dir+`": "`+with.trusted+`"}`)
	}
	sess, err := session.Open(t.Context(), session.Options{
		Recent: &recent.Ring{},
		Project: project.Options{
			Dir: d.dir, Env: env, Model: "gemini-2.5-flash", ApprovalMode: with.mode, Version: "1.2.3", Interactive: true, Asker: d, Folder: folder, Warn: func(text string) {
				for _, known := range [...]string{"YOLO mode is enabled", "This folder is not trusted", "1 setting has no effect yet", "Warning: The conversation could not be summarized"} {
					if strings.HasPrefix(text, known) {
						return
					}
				}
				t.Error(text)
			},
		},
		SessionID: "first", Recorded: with.recorded, Generator: d.model(with.model),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(sess.Close)
	term, _, _ := terminal.Test("")
	d.Runner = &Runner{Session: sess, Terminal: term}
	return d
}

// realPath returns dir without symbolic links.
func realPath(t *testing.T, dir string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// file writes a file, and returns its absolute path. Relative paths are in the workspace.
func (d *driver) file(path, text string) string {
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

// model starts a server for a model script, and returns its client.
func (d *driver) model(text string) llm.Generator {
	d.t.Helper()
	if text == "" {
		text = "turn\n  text nothing to say\n"
	}
	server := scripttest.Serve(d.t, text, scriptmodel.Options{})
	g, err := gemini.New(gemini.Options{APIKey: "k", BaseURL: server.URL()})
	if err != nil {
		d.t.Fatal(err)
	}
	return g
}

// Ask records the question, and returns the next answer. If no answer is left, it cancels.
func (d *driver) Ask(_ context.Context, c tool.Confirmation) (tool.Answer, error) {
	q := c.(*tool.QuestionConfirmation).Questions[0]
	d.asked = append(d.asked, q)
	if len(d.answers) == 0 {
		return tool.Answer{Outcome: tool.Cancel}, nil
	}
	answer := d.answers[0]
	d.answers = d.answers[1:]
	return tool.Answer{Outcome: tool.ProceedOnce, Reply: &tool.Reply{Answers: map[string]string{"0": answer}}}, nil
}

// Approve implements [session.Asker].
func (d *driver) Approve(ctx context.Context, q *agent.Question) (tool.Answer, error) {
	return d.Ask(ctx, q.Details())
}

// prompt sends a prompt to the model, and approves all tool calls.
func (d *driver) prompt(text string) {
	d.t.Helper()
	d.send(agent.TextPrompt(text))
}

// send is prompt for a prompt that a command has made.
func (d *driver) send(p agent.Prompt) {
	d.t.Helper()
	for e, err := range d.Session.Run(d.t.Context(), p) {
		if err != nil {
			d.t.Fatal(err)
		}
		if asked, ok := e.(agent.ToolAsked); ok {
			asked.Answer(tool.Answer{Outcome: tool.ProceedAlways})
		}
	}
}

// shown is a result with its text.
type shown struct {
	Result
	Text string
}

// run runs a command. The command must be known, return no error, and return clean text.
func (d *driver) run(line string) shown {
	d.t.Helper()
	r, known, err := d.Runner.Run(d.t.Context(), line)
	if !known || err != nil {
		d.t.Fatalf("%s: known %v, %v", line, known, err)
	}
	text := r.Markdown(d.Width())
	if strings.ContainsAny(text, "\x00\x1b\r\u202e") {
		d.t.Errorf("%s: the text is not clean: %q", line, text)
	}
	return shown{r, text}
}

// wantText runs a command that must succeed with a text that contains parts.
func (d *driver) wantText(line string, parts ...string) shown {
	d.t.Helper()
	r := d.run(line)
	if r.Failed {
		d.t.Errorf("%s failed: %s", line, r.Text)
	}
	d.checkText(line, r, parts)
	return r
}

// wantFailure runs a command that must fail with a text that contains parts.
func (d *driver) wantFailure(line string, parts ...string) shown {
	d.t.Helper()
	r := d.run(line)
	if !r.Failed || r.Err == nil {
		d.t.Errorf("%s works: %s", line, r.Text)
	}
	d.checkText(line, r, parts)
	return r
}

// checkText reports a test error for each part that is missing from the text of r.
func (d *driver) checkText(line string, r shown, parts []string) {
	d.t.Helper()
	for _, part := range parts {
		if !strings.Contains(r.Text, part) {
			d.t.Errorf("%s does not say %q:\n%s", line, part, r.Text)
		}
	}
}

// history returns the text of all messages after the opening message.
func (d *driver) history() string {
	var all []string
	for _, m := range d.Session.History()[1:] {
		all = append(all, m.Content.Text())
	}
	return strings.Join(all, " | ")
}
