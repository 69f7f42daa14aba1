package scriptmodel

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"pollux/internal/scriptmodel/protocol"
)

// Parse reads a script. Errors name the line.
func Parse(parseText string) (*Script, error) {
	p := parser{rest: parseText, script: &Script{}, calls: map[string]int{}, ids: map[string]bool{}}
	for p.next() {
		if err := p.statement(); err != nil {
			return nil, fmt.Errorf("line %d: %s: %w", p.line, p.word, err)
		}
	}
	if len(p.script.Turns) == 0 {
		return nil, fmt.Errorf("the script has no turn")
	}
	return p.script, nil
}

// parser reads a script line by line.
type parser struct {
	rest      string // the text after the current line
	line      int    // line of the statement
	linesRead int    // number of lines read
	word      string
	arg       string // rest of the line after word

	script *Script
	common Transport
	calls  map[string]int // number of calls, by function name
	lastID string         // ID of the previous call
	ids    map[string]bool
	hasRaw bool // a frame or raw step may contain any call
}

// next reads the next statement. It returns false at the end.
func (p *parser) next() bool {
	for p.rest != "" {
		var line string
		line, p.rest, _ = strings.Cut(p.rest, "\n")
		p.linesRead++
		line = strings.TrimSuffix(line, "\r")
		trimmed := strings.TrimLeft(line, " \t")
		if trimmed == "" || trimmed[0] == '#' {
			continue
		}
		p.line = p.linesRead
		p.word, p.arg, _ = strings.Cut(trimmed, " ")
		return true
	}
	return false
}

func (p *parser) statement() error {
	switch p.word {
	case "turn":
		p.script.Turns = append(p.script.Turns, Turn{Line: p.line, Transport: p.common})
		return p.noArgument()
	case "framing", "split", "pace", "rate", "thoughts", "interleave":
		to := &p.common
		if n := len(p.script.Turns); n > 0 {
			to = &p.script.Turns[n-1].Transport
		}
		return p.transportSetting(to)
	case "key", "context", "refuse", "accept", "models":
		if len(p.script.Turns) > 0 {
			return fmt.Errorf("belongs before the first turn")
		}
		return p.scriptSetting()
	}
	if len(p.script.Turns) == 0 {
		return fmt.Errorf("stands before the first turn")
	}
	t := &p.script.Turns[len(p.script.Turns)-1]
	switch p.word {
	case "times":
		if strings.TrimSpace(p.arg) == "always" {
			t.Times = -1
			return nil
		}
		return p.number(&t.Times)
	case "expect", "when":
		c, err := p.condition()
		if p.word == "when" {
			t.When = append(t.When, c)
		} else {
			t.Expect = append(t.Expect, c)
		}
		return err
	case "detail":
		return p.detail(t)
	}
	s, err := p.step()
	t.Steps = append(t.Steps, s)
	return err
}

// transportSetting parses a statement that sets how answers are sent.
func (p *parser) transportSetting(to *Transport) error {
	switch p.word {
	case "split":
		return p.number(&to.Split)
	case "pace":
		return p.duration(&to.Pace)
	case "rate":
		return p.number(&to.Rate)
	case "interleave":
		to.Interleave = true
		return p.noArgument()
	case "thoughts":
		to.Thoughts = strings.TrimSpace(p.arg)
		if to.Thoughts == "" || strings.Contains(to.Thoughts, " ") {
			return fmt.Errorf("want the name of a field, or tags")
		}
		return nil
	}
	newline, ok := map[string]string{"crlf": "\r\n", "lf": "\n", "cr": "\r"}[strings.TrimSpace(p.arg)]
	if !ok {
		return fmt.Errorf("want crlf, lf or cr")
	}
	to.Newline = newline
	return nil
}

// scriptSetting parses a statement for the whole script.
func (p *parser) scriptSetting() error {
	words := strings.Fields(p.arg)
	switch p.word {
	case "context":
		return p.number(&p.script.Context)
	case "accept":
		p.script.Accept = append(p.script.Accept, words...)
		return nil
	case "models":
		p.script.Models = append(p.script.Models, words...)
		return nil
	case "refuse":
		name, message, _ := strings.Cut(strings.TrimSpace(p.arg), " ")
		if name == "" {
			return fmt.Errorf("what?")
		}
		message, err := parseText(message)
		p.script.Refuse = append(p.script.Refuse, Refusal{name, message})
		return err
	}
	p.script.Key = strings.TrimSpace(p.arg)
	if p.script.Key == "none" {
		p.script.Key, p.script.Open = "", true
	}
	return nil
}

// condition parses the condition of expect or when.
func (p *parser) condition() (Condition, error) {
	c := Condition{Line: p.line}
	arg := p.arg
	if rest, ok := strings.CutPrefix(strings.TrimLeft(arg, " "), "not "); ok {
		c.Not, arg = true, rest
	}
	c.Kind, arg, _ = strings.Cut(strings.TrimLeft(arg, " "), " ")
	switch c.Kind {
	case "prompt", "anywhere", "system":
	case "tool", "model", "verb", "messages", "wire", "media":
		arg = strings.TrimSpace(arg)
		if arg == "" {
			return c, fmt.Errorf("%s: nothing to compare with", c.Kind)
		}
	case "smaller":
		if _, err := parseSize(strings.TrimSpace(arg)); err != nil {
			return c, fmt.Errorf("smaller: %w", err)
		}
		arg = strings.TrimSpace(arg)
	case "result", "error", "header", "field":
		c.Name, arg, _ = strings.Cut(strings.TrimLeft(arg, " "), " ")
		if c.Name == "" {
			return c, fmt.Errorf("%s: of what?", c.Kind)
		}
		if (c.Kind == "result" || c.Kind == "error") && !p.hasRaw && !p.ids[c.Name] && p.calls[c.Name] == 0 {
			return c, fmt.Errorf("%s: no call before this line has the id or name %s", c.Kind, c.Name)
		}
	default:
		return c, fmt.Errorf("%q is not something to expect", c.Kind)
	}
	var err error
	c.Text, err = parseText(arg)
	return c, err
}

// detail adds a detail to the fail before it.
func (p *parser) detail(t *Turn) error {
	if n := len(t.Steps); n > 0 {
		if f, ok := t.Steps[n-1].(Fail); ok {
			obj, err := p.object(p.arg)
			if err != nil {
				return err
			}
			f.Details = append(f.Details, json.RawMessage(obj))
			t.Steps[n-1] = f
			return nil
		}
	}
	return fmt.Errorf("does not follow a fail")
}

func (p *parser) step() (Step, error) {
	switch p.word {
	case "text", "think", "frame", "raw":
		s, err := parseText(p.arg)
		switch p.word {
		case "text":
			return Text{s}, err
		case "think":
			return Think{s}, err
		case "frame":
			p.hasRaw = true
			return Frame{s}, err
		}
		p.hasRaw = true
		return Raw{[]byte(s)}, err
	case "raw64":
		p.hasRaw = true
		b, err := base64.StdEncoding.DecodeString(strings.TrimSpace(p.arg))
		return Raw{b}, err
	case "call":
		return p.call()
	case "fill":
		return p.fill()
	case "finish":
		reason := strings.TrimSpace(p.arg)
		if reason == "none" {
			reason = ""
		}
		return Finish{reason}, nil
	case "usage":
		return p.usage()
	case "delay":
		var d time.Duration
		err := p.duration(&d)
		return Delay{d}, err
	case "null", "end", "hang", "drop", "cut":
		return map[string]Step{"null": Null{}, "end": End{}, "hang": Hang{}, "drop": Drop{}, "cut": Cut{}}[p.word], p.noArgument()
	case "comment":
		s, err := parseText(p.arg)
		if strings.ContainsAny(s, "\r\n") {
			err = fmt.Errorf("a comment is one line")
		}
		return Comment{s}, err
	case "fail", "html":
		return p.failure()
	case "header":
		name, value, ok := strings.Cut(p.arg, ":")
		if !ok {
			return nil, fmt.Errorf("want NAME: TEXT")
		}
		return Header{strings.TrimSpace(name), strings.TrimSpace(value)}, nil
	}
	return nil, fmt.Errorf("unknown statement")
}

func (p *parser) fill() (Step, error) {
	first, rest, _ := strings.Cut(strings.TrimSpace(p.arg), " ")
	n, err := parseSize(first)
	if err != nil {
		return nil, err
	}
	s, err := parseText(rest)
	return Fill{n, s}, err
}

// parseSize parses a number of bytes, such as 300, 100KB or 5MB.
func parseSize(s string) (int, error) {
	factor := 1
	for unit, size := range map[string]int{"KB": 1 << 10, "MB": 1 << 20} {
		if n, ok := strings.CutSuffix(s, unit); ok {
			s, factor = n, size
		}
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 || n > 1<<30/factor {
		return 0, fmt.Errorf("want a size between 1 and 1024MB")
	}
	return n * factor, nil
}

func (p *parser) usage() (Step, error) {
	var u Usage
	for _, f := range strings.Fields(p.arg) {
		if f == "none" {
			u.None = true
			continue
		}
		name, value, _ := strings.Cut(f, "=")
		to, ok := map[string]*int{
			"prompt": &u.Prompt, "candidates": &u.Candidates, "cached": &u.Cached,
			"thoughts": &u.Thoughts, "tool": &u.Tools,
		}[name]
		n, err := strconv.Atoi(value)
		if !ok || err != nil {
			return nil, fmt.Errorf("%q is not a count", f)
		}
		*to = n
	}
	return u, nil
}

// failure parses fail or html.
func (p *parser) failure() (Step, error) {
	status, rest, _ := strings.Cut(strings.TrimSpace(p.arg), " ")
	n, err := strconv.Atoi(status)
	least := map[string]int{"fail": 400, "html": 200}[p.word]
	if err != nil || n < least || n > 599 {
		return nil, fmt.Errorf("want a status between %d and 599", least)
	}
	if p.word == "html" {
		s, err := parseText(rest)
		return Page{n, s}, err
	}
	message := strings.TrimSpace(rest)
	code, after, _ := strings.Cut(message, " ")
	if protocol.IsCode(code) {
		message = after
	} else {
		code = ""
	}
	message, err = parseText(message)
	return Fail{Status: n, Code: code, Message: message}, err
}

// noArgument returns an error if the statement has an argument.
func (p *parser) noArgument() error {
	if strings.TrimSpace(p.arg) != "" {
		return fmt.Errorf("nothing belongs behind it, found %q", p.arg)
	}
	return nil
}

func (p *parser) number(to *int) error {
	n, err := strconv.Atoi(strings.TrimSpace(p.arg))
	if err != nil || n < 1 {
		return fmt.Errorf("want a number")
	}
	*to = n
	return nil
}

func (p *parser) duration(to *time.Duration) error {
	d, err := time.ParseDuration(strings.TrimSpace(p.arg))
	if err == nil && d < 0 {
		err = fmt.Errorf("negative")
	}
	*to = d
	return err
}

// parseText returns the text in arg, which is a JSON string or the text itself.
func parseText(arg string) (string, error) {
	quoted := strings.TrimSpace(arg)
	if len(quoted) < 2 || quoted[0] != '"' || quoted[len(quoted)-1] != '"' {
		return arg, nil
	}
	var s string
	if err := json.Unmarshal([]byte(quoted), &s); err != nil {
		return "", fmt.Errorf("%s is not a JSON string: %w", quoted, err)
	}
	return s, nil
}
