package settings

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"pollux/internal/config"
	"pollux/internal/face/tui/pane"
)

// valueOf returns the value that a setting has in the chosen scope, or its default. isSet reports whether it has one there.
func (p *Pane) valueOf(s *setting) (value any, isSet bool) {
	value, isSet = p.current().ForScope(p.scopes.Scope()).Lookup(s.key.Path)
	if !isSet {
		value = s.key.Default
	}
	return value, isSet
}

// others returns the names of the other scopes that set a setting.
func (p *Pane) others(s *setting) (names []string) {
	for scope := config.SystemDefaults; scope <= config.CommandLine; scope++ {
		if _, isSet := p.current().ForScope(scope).Lookup(s.key.Path); isSet && scope != p.scopes.Scope() {
			names = append(names, pane.ScopeName(scope))
		}
	}
	return names
}

// winner returns the name of another scope whose value of a setting counts, "" if the value in the chosen scope does.
func (p *Pane) winner(s *setting) string {
	_, isSet := p.valueOf(s)
	_, from := p.current().Effective(s.key.Path)
	if own := p.scopes.Scope().String(); isSet && len(from) == 1 && from[0] != own {
		return from[0]
	}
	return ""
}

// noteLate notes a changed setting that does not take effect at once.
func (p *Pane) noteLate(s *setting) {
	if s.key.Flags&config.AtOnce == 0 && s.key.Support == config.Live && !slices.Contains(p.late, s.label) {
		p.late = append(p.late, s.label)
	}
}

// rows returns the rows of the list with the values in the chosen scope.
func (p *Pane) rows() []pane.Row {
	rows := make([]pane.Row, len(p.all))
	for i := range p.all {
		s := &p.all[i]
		value, isSet := p.valueOf(s)
		detail := brief(config.MaskSecrets(s.key.Path, value))
		if isSet && !reflect.DeepEqual(value, s.key.Default) {
			detail += "*"
		}
		if names := strings.Join(p.others(s), ", "); names != "" {
			detail += map[bool]string{true: " (Also modified in ", false: " (Modified in "}[isSet] + names + ")"
		}
		if s.key.Support != config.Live {
			detail += " (no effect yet)"
		}
		rows[i] = pane.Row{Label: s.label, Detail: detail, Also: s.key.Path}
	}
	return rows
}

// refresh shows the settings as they are at the moment.
func (p *Pane) refresh() { p.picker.SetRows(p.rows()) }

// maxBrief is the length of a value in the list, in characters.
const maxBrief = 40

// brief returns a value as the list shows it.
func brief(value any) string {
	text := editable(value)
	switch {
	case value == nil:
		return "unset"
	case text == "":
		return `""`
	}
	if short := []rune(text); len(short) > maxBrief {
		return string(short[:maxBrief-1]) + "…"
	}
	return text
}

// editable returns a value as the user edits it: a text as it is, another value in JSON.
func editable(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case string:
		return v
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	text, _ := json.Marshal(value) // cannot fail: it is from JSON
	return string(text)
}
