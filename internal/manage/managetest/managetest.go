// Package managetest runs the commands of a noun in tests: as subcommands of pollux, and as / commands.
package managetest

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"pollux/agent"
	"pollux/internal/exit"
	"pollux/internal/manage"
	"pollux/internal/outcome"
	"pollux/internal/project"
	"pollux/internal/project/projecttest"
	"pollux/internal/scriptmodel"
	"pollux/internal/scriptmodel/scripttest"
	"pollux/internal/session"
	"pollux/internal/terminal"
	"pollux/llm/gemini"
	"pollux/tool"
)

// Person is a person in a project who runs commands.
type Person struct {
	testing.TB
	Options project.Options
	Home    string
	mu      sync.Mutex // of notes: servers of a session warn at any time
	notes   []string
	// Answers are the person's next answers.
	Answers []string
	// Session is that of the / commands, opened when it is first needed. Its model says Script.
	Session *session.Session
	Script  string
}

// New returns a person with these settings and environment in a trusted project.
func New(t testing.TB, settings string, env ...string) *Person {
	o := projecttest.New(t, settings, env...).Options
	p := &Person{TB: t, Options: o, Home: o.Env.Get("HOME"), Script: "turn\n  text Hello.\n"}
	p.Options.Warn = func(text string) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.notes = append(p.notes, text)
	}
	p.Options.Version = "1.2.3"
	return p
}

// takeNotes returns the notes and warnings since the last call.
func (p *Person) takeNotes() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	notes := p.notes
	p.notes = nil
	return notes
}

// Write writes a file of the project, or one with an absolute path, and returns its path.
func (p *Person) Write(name, text string) string {
	p.Helper()
	if !filepath.IsAbs(name) {
		name = filepath.Join(p.Options.Dir, name)
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		p.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		p.Fatal(err)
	}
	return name
}

// Shell runs a subcommand: its words, flags as --name=value, and arguments.
func (p *Person) Shell(noun *manage.Command, words ...string) (outcome.Outcome, error) {
	p.Helper()
	c := &manage.Call{Options: p.Options, Flags: map[string]any{}, Note: p.Options.Warn, Whole: p.Options.Warn}
	c.Terminal, _, _ = terminal.Test("")
	for len(words) > 0 {
		i := slices.IndexFunc(noun.Subs, func(sub *manage.Command) bool { return sub.Name == words[0] && !sub.IsSessionOnly })
		if i < 0 {
			break
		}
		noun, words = noun.Subs[i], words[1:]
	}
	for _, flag := range noun.Flags {
		c.Flags[flag.Name] = flag.Default
	}
	for _, word := range words {
		name, value, _ := strings.Cut(strings.TrimPrefix(word, "--"), "=")
		switch {
		case noun.ReadsFlags || !strings.HasPrefix(word, "--"):
			c.Words = append(c.Words, word)
		case c.Flags[name] == nil:
			p.Fatalf("%s has no flag --%s", noun.Name, name)
		default:
			c.Flags[name] = parse(c.Flags[name], value)
		}
	}
	return noun.Run(p.Context(), c)
}

// parse returns the value of a flag in the type of its default.
func parse(byDefault any, text string) any {
	switch byDefault.(type) {
	case bool:
		return text != "false"
	case manage.List:
		return manage.List(strings.Split(text, ","))
	}
	return text
}

// Slash runs the / command of a row with a text, and returns the next action of the face, too. The path names the
// command below the noun: "list".
func (p *Person) Slash(noun *manage.Command, path, text string) (outcome.Outcome, manage.Next, error) {
	p.Helper()
	row := noun.Slash()
	for _, name := range strings.Fields(path) {
		i := slices.IndexFunc(row.Subs, func(sub *manage.Command) bool { return sub.Name == name })
		if i < 0 {
			p.Fatalf("/%s has no %s", row.Name, name)
		}
		row = row.Subs[i]
	}
	s := p.Open()
	c := &manage.Call{Text: text, Typed: "/" + row.Name, Live: s, Options: s.Project.Options, Note: p.Options.Warn, Whole: p.Options.Warn}
	o, err := row.Run(p.Context(), c)
	return o, c.Next, err
}

// Open returns the session.
func (p *Person) Open() *session.Session {
	p.Helper()
	if p.Session != nil {
		return p.Session
	}
	model, err := gemini.New(gemini.Options{APIKey: "k", BaseURL: scripttest.Serve(p.TB.(*testing.T), p.Script, scriptmodel.Options{}).URL()})
	if err != nil {
		p.Fatal(err)
	}
	o := p.Options
	o.Model, o.Interactive, o.Asker = "gemini-2.5-flash", true, asker{p}
	if p.Session, err = session.Open(p.Context(), session.Options{Project: o, SessionID: "live", Recorded: true, Generator: model}); err != nil {
		p.Fatal(err)
	}
	p.Cleanup(p.Session.Close)
	return p.Session
}

// Prompt sends a prompt to the model.
func (p *Person) Prompt(text string) {
	p.Helper()
	for _, err := range p.Open().Run(p.Context(), agent.TextPrompt(text)) {
		if err != nil {
			p.Fatal(err)
		}
	}
}

// asker answers questions. Without an answer, it cancels.
type asker struct{ *Person }

func (a asker) Ask(context.Context, tool.Confirmation) (tool.Answer, error) {
	if len(a.Answers) == 0 {
		return tool.Answer{Outcome: tool.Cancel}, nil
	}
	answer := a.Answers[0]
	a.Answers = a.Answers[1:]
	return tool.Answer{Outcome: tool.ProceedOnce, Reply: &tool.Reply{Answers: map[string]string{"0": answer}}}, nil
}

func (a asker) Approve(ctx context.Context, q *agent.Question) (tool.Answer, error) {
	return a.Ask(ctx, q.Details())
}

// Case is a call of a command and its result.
type Case struct {
	// Line is a subcommand, "list --json", or a / command, "/list x". Quotes keep words of a subcommand together.
	Line string
	// Want is a part of the text, of the notes or of the error. JSON is the value for programs, if it is not "".
	Want, JSON string
	// Code is the exit code of the error.
	Code exit.Code
}

// Check runs the commands of a noun one after the other. $HOME and $DIR in a case are the directories of the person.
func (p *Person) Check(noun *manage.Command, cases []Case) {
	p.Helper()
	fill := strings.NewReplacer("$HOME", p.Home, "$DIR", p.Options.Dir).Replace
	for _, c := range cases {
		var o outcome.Outcome
		var err error
		p.takeNotes()
		text := ""
		if line, isSlash := strings.CutPrefix(fill(c.Line), "/"); isSlash {
			path, args := "", line
			for row := noun.Slash(); ; {
				word, rest := manage.CutWord(args)
				i := slices.IndexFunc(row.Subs, func(sub *manage.Command) bool { return sub.Name == word })
				if i < 0 {
					break
				}
				row, path, args = row.Subs[i], path+" "+word, rest
			}
			o, _, err = p.Slash(noun, path, args)
			text = o.Markdown(0)
		} else {
			o, err = p.Shell(noun, split(line)...)
			text = o.Plain(0)
		}
		text = strings.Join(append([]string{text}, slices.Concat(p.takeNotes(), o.Notes)...), "\n")
		if err != nil {
			text += err.Error()
		}
		if !strings.Contains(text, fill(c.Want)) || exit.CodeOf(err) != c.Code {
			p.Errorf("%s: %v (exit code %d), want %d\n%s\nwant %s", c.Line, err, exit.CodeOf(err), c.Code, text, fill(c.Want))
		}
		if c.JSON != "" {
			var b bytes.Buffer
			_ = outcome.Encode(&b, o.Value)
			if got := strings.Join(strings.Fields(b.String()), ""); got != fill(c.JSON) {
				p.Errorf("%s: JSON is %s\nwant %s", c.Line, got, fill(c.JSON))
			}
		}
	}
}

// split returns the words of a line, in which quotes keep some together.
func split(line string) (words []string) {
	for i, part := range strings.Split(line, `"`) {
		if i%2 == 1 {
			words = append(words, part)
			continue
		}
		words = append(words, strings.Fields(part)...)
	}
	return words
}
