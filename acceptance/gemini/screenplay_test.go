//go:build unix

package gemini

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"mvdan.cc/sh/v3/shell"

	"pollux/internal/face/tui/tuitest"
)

// screen plays the member keys of a scene at a terminal, and returns its facts by name. The member has a statement a
// line: those of [tuitest.Play], and
//
//	see TEXT || TEXT      waits until one of the texts is on the screen
//	send TEXT             types TEXT, and Enter when it is on the screen
//	slash TEXT            the same for a / command, when the program knows its commands
//	rest                  waits for the answer to the last keys, if one comes, until the screen does not change any more
//	gone                  waits until the program has ended
//	fact NAME has TEXT    whether TEXT is on the screen
//	fact NAME left TEXT   in how many rows of the scrollback and the screen TEXT is
//	fact NAME find RE     all matches on the screen of a regular expression, or its groups; ^ and $ are the ends of rows
//	fact NAME sent N      the last message of request N to the model, or of the last one; its texts and results
//	fact NAME history N   all messages of request N, or of the last one
//	fact NAME requests    the number of requests to the model that ask for an answer
//	fact NAME file PATH   the content of a file, or that there is none; of a JSON file, the values
//	fact NAME exit        the exit code, after gone
//	fact NAME input       the rows of the input box
func (g *stage) screen(t *testing.T, s *scene, command []string) (map[string]any, error) {
	t.Helper()
	args, err := shell.Fields(s.runs[0].args, nil)
	if err != nil {
		t.Fatal(err)
	}
	colored := func(e string) bool { return e == "NO_COLOR=1" }
	all := append([]string{"env", "-i"}, slices.DeleteFunc(slices.Clone(g.env), colored)...)
	all = append(all, "sh", "-c", `cd "$0" && exec "$@"`, filepath.Join(g.work, s.runs[0].dir))
	all = append(append(all, command...), args...)
	width, height := 80, 24
	_, _ = fmt.Sscanf(s.keys, "size %d %d", &width, &height) // another first line keeps the default
	program, err := tuitest.Start(all, width, height)
	if err != nil {
		t.Fatal(err)
	}
	defer program.Close()
	program.SetPatience(*wait)
	p := &performance{Program: program, stage: g, facts: map[string]any{}, quiet: 200 * time.Millisecond}
	if command[0] != pollux[0] {
		p.quiet = 600 * time.Millisecond
	}
	for i, line := range strings.Split(s.keys, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' || strings.HasPrefix(line, "size ") {
			continue
		}
		if err := p.do(g.expand(line)); err != nil {
			return nil, fmt.Errorf("%s, line %d of the keys: %s: %w\n%s", filepath.Base(command[len(command)-1]), i+1, line, err, strings.Join(p.Whole(), "\n"))
		}
	}
	if *show {
		t.Logf("%s:\n%s", filepath.Base(command[len(command)-1]), strings.Join(p.shots, "\n"))
	}
	return p.facts, nil
}

// restored is the fact that the program has left the modes of the terminal as they were.
const restored = "terminal-restored"

// performance is a program that plays a scene at a terminal.
type performance struct {
	*tuitest.Program
	*stage
	facts map[string]any
	code  int
	mark  int64 // bytes of output at the last key
	quiet time.Duration
	shots []string // the screens at the facts
	shot  string
}

// do runs a statement.
func (p *performance) do(line string) error {
	word, rest, _ := strings.Cut(line, " ")
	switch word {
	case "see":
		return p.see(rest)
	case "send":
		return p.enter(rest, rest)
	case "slash":
		return p.command(rest)
	case "rest":
		p.rest()
		return nil
	case "gone":
		var err error
		p.code, err = p.End()
		p.facts[restored] = fmt.Sprint(err == nil)
		return nil
	case "fact":
		name, what, _ := strings.Cut(rest, " ")
		value, err := p.fact(what)
		if _, twice := p.facts[name]; twice {
			return errors.New("two facts have this name")
		}
		p.facts[name] = value
		p.show(name, value)
		return err
	case "end":
		return errors.New("there is no such word")
	}
	if word == "type" || word == "press" || word == "paste" {
		p.mark = p.Written()
	}
	return p.Do(line, os.Getenv)
}

// rest waits until the program has answered the last keys, which it may not do at all.
func (p *performance) rest() {
	for end := time.Now().Add(3 * p.quiet); p.Written() == p.mark && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
	}
	p.calm()
}

// calm waits until the program has written nothing for a while, which is longer for slow programs.
func (p *performance) calm() {
	const most = 5 * time.Second
	since, before := time.Now(), p.Written()
	for end := since.Add(most); time.Since(since) < p.quiet && time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if now := p.Written(); now != before {
			since, before = time.Now(), now
		}
	}
}

// enter types a text, and Enter when the screen shows it.
func (p *performance) enter(text, seen string) error {
	if err := errors.Join(p.Do("type "+text, os.Getenv), p.see(seen)); err != nil {
		return err
	}
	p.calm() // Enter right behind a key is a line end of a paste to Gemini CLI
	p.mark = p.Written()
	return p.Send("\r")
}

// command enters a / command when the list of completions shows that the program knows its commands, and has narrowed it:
// Gemini CLI takes Enter as the choice from an outdated list.
func (p *performance) command(text string) error {
	if err := errors.Join(p.Do("type /", os.Getenv), p.see("clear")); err != nil {
		return err
	}
	first := "compress"
	if strings.HasPrefix(text, "/com") {
		first = "directory"
	}
	if err := errors.Join(p.Do("type "+text[1:], os.Getenv), p.see(text), p.Do("unsee "+first, os.Getenv)); err != nil {
		return err
	}
	p.calm()
	p.mark = p.Written()
	return p.Send("\r")
}

// see waits until one of several texts is on the screen.
func (p *performance) see(texts string) error {
	return p.Wait(func(rows []string) bool {
		all := strings.Join(rows, "\n")
		for text := range strings.SplitSeq(texts, " || ") {
			if strings.Contains(all, text) {
				return true
			}
		}
		return false
	})
}

// fact returns the value of a fact.
func (p *performance) fact(what string) (any, error) {
	kind, rest, _ := strings.Cut(what, " ")
	switch kind {
	case "has":
		return fmt.Sprint(strings.Contains(strings.Join(p.Screen(), "\n"), rest)), nil
	case "left":
		n := 0
		for _, row := range p.Whole() {
			if strings.Contains(row, rest) {
				n++
			}
		}
		return fmt.Sprint(n), nil
	case "find":
		return p.find(rest)
	case "input":
		return p.input(), nil
	case "sent":
		return p.sent(rest)
	case "history":
		return p.history(rest)
	case "requests":
		return fmt.Sprint(len(p.questions())), nil
	case "file":
		text, err := os.ReadFile(filepath.Join(p.root, "work", "project", rest))
		if err != nil {
			return "none", nil //nolint:nilerr // that it is missing is the fact
		}
		var values any
		if json.Unmarshal(text, &values) == nil {
			text = encoded(values)
		}
		return p.text(string(text)), nil
	case "exit":
		return fmt.Sprint(p.code), nil
	}
	return nil, errors.New("there is no such fact")
}

// find returns all matches of a regular expression on the screen.
func (p *performance) find(expression string) (any, error) {
	re, err := regexp.Compile("(?m)" + expression)
	if err != nil {
		return nil, err
	}
	found := []any{}
	for _, m := range re.FindAllStringSubmatch(strings.Join(p.Screen(), "\n"), -1) {
		if len(m) > 1 {
			m = m[1:]
		}
		var words []string
		for _, s := range m {
			words = append(words, strings.Fields(s)...)
		}
		found = append(found, p.text(strings.ReplaceAll(strings.Join(words, " "), "●", "❯"))) // the row that is chosen
	}
	return found, nil
}

// input returns the rows of the input box, which is between rows of half blocks.
func (p *performance) input() []any {
	rows, box := p.Screen(), []any{}
	for i := len(rows) - 1; i >= 0; i-- {
		if !strings.Contains(rows[i], "▀▀▀") {
			continue
		}
		for i--; i >= 0 && !strings.Contains(rows[i], "▄▄▄"); i-- {
			box = slices.Insert(box, 0, any(strings.TrimSpace(rows[i])))
		}
		break
	}
	return box
}

// questions are the bodies of the requests that ask for an answer.
func (p *performance) questions() (bodies [][]byte) {
	for _, r := range p.server.Requests() {
		if strings.Contains(r.Path, "streamGenerateContent") {
			bodies = append(bodies, r.Body)
		}
	}
	return bodies
}

// message is a message in a request.
type message struct {
	Role  string
	Parts []struct {
		Text             string
		FunctionCall     struct{ Name string }
		FunctionResponse struct{ Response map[string]any }
	}
}

// texts returns the texts, calls and results of a message, without the one about the session.
func (p *performance) texts(m message) []any {
	texts := []any{}
	for _, part := range m.Parts {
		if strings.HasPrefix(part.Text, "<session_context>") {
			continue
		}
		text := part.Text + part.FunctionCall.Name
		for _, result := range part.FunctionResponse.Response {
			text += fmt.Sprint(result)
		}
		texts = append(texts, p.text(text))
	}
	return texts
}

// messages returns the messages of a request, which is counted from 1. "" is the last one.
func (p *performance) messages(which string) ([]message, error) {
	all := p.questions()
	n := len(all)
	if which != "" {
		if _, err := fmt.Sscan(which, &n); err != nil {
			return nil, err
		}
	}
	var body struct{ Contents []message }
	if n < 1 || n > len(all) {
		return nil, nil
	}
	err := json.Unmarshal(all[n-1], &body)
	return body.Contents, err
}

// sent returns the texts of the last message of a request.
func (p *performance) sent(which string) (any, error) {
	all, err := p.messages(which)
	if len(all) == 0 {
		return "no such request", err
	}
	return p.texts(all[len(all)-1]), err
}

// history returns the texts of all messages of a request, with their roles.
func (p *performance) history(which string) (any, error) {
	all, err := p.messages(which)
	history := []any{}
	for _, m := range all {
		for _, text := range p.texts(m) {
			history = append(history, m.Role+": "+fmt.Sprint(text))
		}
	}
	return history, err
}

// show keeps the screen at a fact for the log.
func (p *performance) show(name string, value any) {
	if now := strings.Join(p.Screen(), "\n"); now != p.shot {
		p.shot = now
		p.shots = append(p.shots, strings.Repeat("-", 80), now, strings.Repeat("-", 80))
	}
	p.shots = append(p.shots, name+" = "+string(encoded(value)))
}
