package scriptmodel

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// unmet says what of the conditions a request does not fulfil, "" for nothing.
func unmet(conditions []Condition, wire wire, a *asked, r *http.Request, value func(string) (string, bool)) string {
	for _, c := range conditions {
		var err error
		if c.Text, err = expand(c.Text, value, plainly); err != nil {
			return fmt.Sprintf("line %d: %v", c.Line, err)
		}
		if met, found := c.holds(wire, a, r); met == c.Not {
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

// holds reports whether c, its Not aside, is so, and what it looked at.
func (c *Condition) holds(wire wire, a *asked, r *http.Request) (met bool, found string) {
	switch c.Kind {
	case "prompt":
		return contains(a.newest().texts, c.Text)
	case "media":
		return contains(a.newest().media, c.Text)
	case "system":
		return contains([]string{a.system}, c.Text)
	case "anywhere":
		all := []string{a.system}
		for _, m := range a.messages {
			all = append(all, m.texts...)
			for _, r := range m.results {
				all = append(all, r.text)
			}
		}
		return contains(all, c.Text)
	case "result", "error":
		for _, got := range a.newest().results {
			if got.id == c.Name || got.name == c.Name {
				met, found := contains([]string{got.text}, c.Text)
				if got.failed {
					found = "the error " + found
				}
				return met && (got.unmarked || got.failed == (c.Kind == "error")), found
			}
		}
		return false, "no result of that call in the newest message"
	case "tool":
		for _, want := range strings.Fields(c.Text) {
			if has := slices.Contains(a.tools, want); has == c.Not {
				return has, "the tools " + strings.Join(a.tools, " ")
			}
		}
		return !c.Not, "the tools " + strings.Join(a.tools, " ")
	case "model":
		return a.model == c.Text, a.model
	case "verb":
		return a.name == c.Text, a.name
	case "messages":
		n := strconv.Itoa(len(a.messages))
		return n == c.Text, n
	case "wire":
		return wire.name() == c.Text, wire.name()
	case "smaller":
		most, _ := size(c.Text) // the parser has looked
		return a.size < most, strconv.Itoa(a.size)
	case "field":
		return holdsField(a.root, c.Name, c.Text)
	case "header":
		return contains(r.Header.Values(c.Name), c.Text)
	}
	return false, "nothing of that kind"
}

func contains(texts []string, want string) (bool, string) {
	for _, t := range texts {
		if strings.Contains(t, want) {
			return true, strconv.Quote(clip(t))
		}
	}
	return false, strconv.Quote(clip(strings.Join(texts, "\n")))
}

// holdsField reports whether there is a value at a path such as
// generationConfig.temperature or messages.0.role, with want in its JSON.
func holdsField(v any, path, want string) (bool, string) {
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
	got := string(mustJSON(v))
	return strings.Contains(got, want), clip(got)
}
