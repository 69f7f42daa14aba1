package pane

import (
	"encoding/json"
	"slices"
	"strings"

	"pollux/internal/config"
	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/theme"
)

// Scopes is the choice of the settings file that a pane changes: the user's, to begin with.
type Scopes struct {
	all []config.Scope
	at  int
}

// NewScopes returns the choice among the settings files that count in a session.
func NewScopes(s *config.Settings, paths *config.Paths) *Scopes {
	c := &Scopes{all: []config.Scope{config.User}}
	if s.Trusted() && paths.WorkspaceSettings() != "" {
		c.all = append(c.all, config.Workspace)
	}
	c.all = append(c.all, config.System)
	return c
}

// Next chooses the next file. The first one follows the last.
func (c *Scopes) Next() { c.at = (c.at + 1) % len(c.all) }

// Choose chooses the file of a scope, if it is one of those that can be chosen.
func (c *Scopes) Choose(s config.Scope) {
	if i := slices.Index(c.all, s); i >= 0 {
		c.at = i
	}
}

// Scope returns the chosen file.
func (c *Scopes) Scope() config.Scope { return c.all[c.at] }

// Line returns the line that shows the choice.
func (c *Scopes) Line(t theme.Theme, b *keys.Bindings) styled.Line {
	line := styled.Line{{Text: "Apply To", Style: t.Secondary()}}
	for i, s := range c.all {
		mark, style := "  ○ ", t.Secondary()
		if i == c.at {
			mark, style = "  ● ", t.Text()
		}
		line = append(line, styled.Span{Text: mark + ScopeName(s), Style: style})
	}
	if key := b.Hint(keys.NavDialogNext); key != "" {
		line = append(line, styled.Span{Text: "  (" + key + ")", Style: t.Secondary()})
	}
	return line
}

// ScopeName returns the name of a scope as a pane shows it, such as "Workspace".
func ScopeName(s config.Scope) string {
	name := s.String()
	return strings.ToUpper(name[:1]) + name[1:]
}

// SetText returns the / command that sets a key of a scope to a text.
func SetText(s config.Scope, key, text string) string {
	if strings.HasPrefix(text, `"`) || text == "" || strings.TrimSpace(text) != text || styled.Text(text) != text {
		quoted, _ := json.Marshal(text) // cannot fail
		text = string(quoted)
	}
	return SetValue(s, key, text)
}

// SetValue returns the / command that sets a key of a scope to a value in JSON, or to a text that is none.
func SetValue(s config.Scope, key, value string) string {
	return "/settings set " + scopeFlag(s) + key + " " + value
}

// Unset returns the / command that removes a key from a scope.
func Unset(s config.Scope, key string) string { return "/settings unset " + scopeFlag(s) + key }

func scopeFlag(s config.Scope) string {
	if s == config.User {
		return ""
	}
	return "--scope=" + s.String() + " "
}
