package scriptmodel

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"pollux/internal/scriptmodel/protocol"
)

// unmetCondition describes the first condition that a request does not meet, or returns "".
func unmetCondition(conditions []Condition, wire protocol.Wire, a *protocol.Query, r *http.Request, value func(string) (string, bool)) string {
	for _, c := range conditions {
		var err error
		if c.Text, err = expand(c.Text, value, unquoted); err != nil {
			return fmt.Sprintf("line %d: %v", c.Line, err)
		}
		if met, found := c.matches(wire, a, r); met == c.Not {
			not := ""
			if c.Not {
				not = "not "
			}
			return fmt.Sprintf("line %d: expected %s%s; found %s",
				c.Line, not, strings.TrimSpace(strings.Join([]string{c.Kind, c.Name, strconv.Quote(c.Text)}, " ")), found)
		}
	}
	return ""
}

// matches reports whether the request meets c, ignoring c.Not, and describes the compared text.
func (c *Condition) matches(wire protocol.Wire, a *protocol.Query, r *http.Request) (met bool, found string) {
	switch c.Kind {
	case "prompt":
		return contains(a.LastMessage().Texts, c.Text)
	case "media":
		return contains(a.LastMessage().Media, c.Text)
	case "system":
		return contains([]string{a.System}, c.Text)
	case "anywhere":
		all := []string{a.System}
		for _, m := range a.Messages {
			all = append(all, m.Texts...)
			for _, r := range m.Results {
				all = append(all, r.Text)
			}
		}
		return contains(all, c.Text)
	case "result", "error":
		for _, got := range a.LastMessage().Results {
			if got.ID == c.Name || got.Name == c.Name {
				met, found := contains([]string{got.Text}, c.Text)
				if got.Failed {
					found = "the error " + found
				}
				return met && (got.HasNoErrorMark || got.Failed == (c.Kind == "error")), found
			}
		}
		return false, "no result of that call in the newest message"
	case "tool":
		for _, want := range strings.Fields(c.Text) {
			if has := slices.Contains(a.Tools, want); has == c.Not {
				return has, "the tools " + strings.Join(a.Tools, " ")
			}
		}
		return !c.Not, "the tools " + strings.Join(a.Tools, " ")
	case "model":
		return a.Model == c.Text, a.Model
	case "verb":
		return a.VerbName == c.Text, a.VerbName
	case "messages":
		n := strconv.Itoa(len(a.Messages))
		return n == c.Text, n
	case "wire":
		return wire.Name() == c.Text, wire.Name()
	case "smaller":
		most, _ := parseSize(c.Text) // checked by the parser
		return a.Size < most, strconv.Itoa(a.Size)
	case "field":
		return matchField(a.Body, c.Name, c.Text)
	case "header":
		return contains(r.Header.Values(c.Name), c.Text)
	}
	return false, "nothing of that kind"
}

// contains reports whether one of texts contains want, and quotes it; else it quotes texts.
func contains(texts []string, want string) (bool, string) {
	for _, t := range texts {
		if strings.Contains(t, want) {
			return true, strconv.Quote(protocol.Shorten(t))
		}
	}
	return false, strconv.Quote(protocol.Shorten(strings.Join(texts, "\n")))
}

// matchField reports whether the JSON of the value at a path, such as
// generationConfig.temperature or messages.0.role, contains want. It also returns the JSON.
func matchField(v any, path, want string) (bool, string) {
	for name := range strings.SplitSeq(path, ".") {
		switch in := v.(type) {
		case map[string]any:
			v = in[name]
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i < 0 || i >= len(in) {
				return false, "nothing there"
			}
			v = in[i]
		default:
			v = nil
		}
	}
	if v == nil {
		return false, "nothing there"
	}
	got := string(protocol.MustJSON(v))
	return strings.Contains(got, want), protocol.Shorten(got)
}

// placeholders matches {{ID}}, {{ID /REGEXP/}} and {{NAME}}.
var placeholders = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\{\{([A-Za-z_][\w.-]*)(?: /(.+?)/)?\}\}`)
})

// expand replaces the placeholders in s by their values, written with quote.
func expand(s string, value func(name string) (string, bool), quote func(string) string) (string, error) {
	if !strings.Contains(s, "{{") {
		return s, nil
	}
	var failed error
	out := placeholders().ReplaceAllStringFunc(s, func(whole string) string {
		m := placeholders().FindStringSubmatch(whole)
		v, ok := value(m[1])
		if !ok {
			failed = fmt.Errorf("%s: nothing has this name", whole)
			return whole
		}
		if m[2] != "" {
			re, err := regexp.Compile(m[2])
			if err != nil {
				failed = err
				return whole
			}
			found := re.FindStringSubmatch(v)
			if found == nil {
				failed = fmt.Errorf("%s: not found in %q", whole, protocol.Shorten(v))
				return whole
			}
			v = found[min(1, len(found)-1)]
		}
		return quote(v)
	})
	return out, failed
}
