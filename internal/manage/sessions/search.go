package sessions

import (
	"context"
	"fmt"
	"strings"
	"time"

	"pollux/internal/exit"
	"pollux/internal/manage"
	"pollux/internal/outcome"
	"pollux/internal/sessions"
	"pollux/internal/terminal"
)

// search searches the text of sessions.
func search(ctx context.Context, c *manage.Call) (o outcome.Outcome, err error) {
	_, projects, err := projects(ctx, c, c.Is("all"))
	if err != nil {
		return o, err
	}
	var infos []sessions.Info
	for _, p := range projects {
		infos = append(infos, p.list...)
	}
	limit := c.Number("limit")
	if limit < 0 {
		return o, exit.Errorf(exit.General, "--limit must not be negative.")
	}
	text := strings.Join(c.Words, " ")
	found, hasMore, err := sessions.Search(ctx, infos, text, limit)
	if err != nil {
		return o, err
	}
	o = outcome.New(foundParts(found, hasMore)...).WithValue(newFound(found, projects))
	o.After = func(ctx context.Context) {
		// Texts that the search has read because the index lacks them are in the index at the next search.
		const most = 2 * time.Second
		ctx, cancel := context.WithTimeout(ctx, most)
		defer cancel()
		_ = sessions.IndexTexts(ctx, infos, false) // it is only faster with an index
	}
	if len(found) == 0 {
		err = exit.Errorf(exit.General, "No session contains %q.", terminal.Text(text))
	}
	return o, err
}

// foundSession is a session that a search has found.
type foundSession struct {
	Session
	Excerpts []sessions.Excerpt `json:"excerpts"`
}

// newFound returns rows for found sessions of projects.
func newFound(found []sessions.Found, projects []projectSessions) []foundSession {
	rows := map[string]Session{} // by path
	for _, p := range projects {
		for n, info := range p.list {
			rows[info.Path] = newSession(info, n+1, p.project)
		}
	}
	list := []foundSession{}
	for _, f := range found {
		list = append(list, foundSession{rows[f.Path], append([]sessions.Excerpt{}, f.Excerpts...)})
	}
	return list
}

// foundParts describes found sessions for people.
func foundParts(found []sessions.Found, hasMore bool) (parts []outcome.Part) {
	now := time.Now()
	names := map[string]string{"user": "You", "gemini": "Model", "tool": "Tool"}
	for _, f := range found {
		parts = append(parts, outcome.Lines(fmt.Sprintf("%s (%s) [%s]", f.Title, sessions.Ago(f.Updated, now), terminal.Line(f.ID))))
		for _, e := range f.Excerpts {
			parts = append(parts, outcome.Field{Label: "  " + names[e.Kind] + ": ", Text: e.Text})
		}
	}
	if hasMore {
		parts = append(parts, outcome.Lines("More sessions contain it. To print all, use --limit 0."))
	}
	return parts
}
