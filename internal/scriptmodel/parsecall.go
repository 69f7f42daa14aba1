package scriptmodel

import (
	"encoding/json"
	"fmt"
	"strings"

	"pollux/internal/scriptmodel/protocol"
)

// call parses a function call with its options.
func (p *parser) call() (Step, error) {
	c := Call{}
	arg := strings.TrimLeft(p.arg, " ")
	id := ""
	for c.Name == "" {
		field, rest, _ := strings.Cut(arg, " ")
		option, value, ok := strings.Cut(field, "=")
		switch {
		case field == "":
			return nil, fmt.Errorf("of what function?")
		case !ok:
			c.Name = field
		case option == "id":
			id = value
		case option == "sig":
			c.Signature = value
		case option == "args":
			c.Form = value
			if value != protocol.ArgsObject && value != protocol.ArgsBroken && value != protocol.ArgsEmpty {
				return nil, fmt.Errorf("args: want object, broken or empty")
			}
		default:
			return nil, fmt.Errorf("%s: want id, sig or args", option)
		}
		arg = strings.TrimLeft(rest, " ")
	}
	p.calls[c.Name]++
	if err := p.identify(&c, id); err != nil {
		return nil, err
	}
	var err error
	c.Args = "{}"
	if strings.TrimSpace(arg) != "" {
		c.Args, err = p.object(arg)
	}
	return c, err
}

// identify sets the ID of a call from the option id.
func (p *parser) identify(c *Call, id string) error {
	switch id {
	case "":
		c.ID = fmt.Sprintf("%s_%d", c.Name, p.calls[c.Name])
	case "none":
		return nil
	case `""`:
		c.EmptyID = true
		return nil
	case "same":
		if p.lastID == "" {
			return fmt.Errorf("no call before this one has an id")
		}
		c.ID = p.lastID
		return nil
	default:
		c.ID = id
	}
	if p.ids[c.ID] {
		return fmt.Errorf("a call before this one has the id %s", c.ID)
	}
	p.ids[c.ID], p.lastID = true, c.ID
	return nil
}

// object returns the JSON object that starts with this text and may continue on the next lines.
// {{...}} may replace a value in it.
func (p *parser) object(start string) (string, error) {
	obj := strings.TrimSpace(start)
	if !strings.HasPrefix(obj, "{") {
		return "", fmt.Errorf("want a JSON object")
	}
	for !balanced(obj) {
		if p.rest == "" {
			return "", fmt.Errorf("the object does not end")
		}
		var line string
		line, p.rest, _ = strings.Cut(p.rest, "\n")
		p.linesRead++
		obj += "\n" + strings.TrimSuffix(line, "\r")
	}
	obj = strings.TrimSpace(obj)
	if plain := placeholders().ReplaceAllString(obj, "0"); !json.Valid([]byte(plain)) {
		return "", fmt.Errorf("not valid JSON: %s", obj)
	}
	return obj, nil
}

// balanced reports whether all braces of s outside strings are closed.
func balanced(s string) bool {
	depth, quoted := 0, false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{':
			depth++
		case c == '}':
			depth--
		}
	}
	return depth <= 0
}
