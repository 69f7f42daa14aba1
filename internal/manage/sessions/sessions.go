// Package sessions manages the recorded sessions of projects: it lists, searches, shows and deletes them, and
// copies them between projects.
package sessions

import (
	"context"
	"errors"
	"path/filepath"
	"strconv"
	"time"

	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/manage"
	"pollux/internal/outcome"
	"pollux/internal/sessions"
	"pollux/internal/terminal"
)

// Command returns the commands about sessions.
func Command() *manage.Command {
	json := []manage.Flag{manage.JSON}
	all := manage.Flag{Name: "all", Default: false, Usage: "Include the sessions of all projects"}
	return &manage.Command{
		Name: "sessions", Aliases: []string{"session"}, Summary: "List, search and manage sessions", Run: list,
		Subs: []*manage.Command{
			{Name: "list", Summary: "List the sessions of this project", Run: list, Flags: []manage.Flag{manage.JSON, all}},
			{Name: "show", Args: "<session>", Summary: "Print a session", Run: show, Values: latest, Flags: json},
			{
				Name: "search", Args: "<text...>", Summary: "Search the text of sessions", Run: search,
				Flags: []manage.Flag{manage.JSON, all, {Name: "limit", Default: 20, Usage: "`n` Maximum number of sessions; 0 is no limit"}},
			},
			{
				Name: "export", Args: "<session> [file]", Summary: "Write a session as Markdown, JSON or HTML", Run: export, Values: latestAndFile,
				Flags: []manage.Flag{
					{Name: "json", Default: false, Usage: manage.JSON.Usage, IsHidden: true},
					{Name: "format", Default: "", Usage: "`format` Format, instead of that of the file name", Choices: []string{"md", "json", "html"}, IsUnchecked: true},
					{Name: "force", Default: false, Usage: "Overwrite the file"},
				},
			},
			{Name: "import", Args: "<file>", Summary: "Make a session of this project from a file", Run: importFile, Values: manage.FileNames, Flags: json},
			{Name: "delete", Args: "<session>", Summary: "Delete a session", Run: manage.With(named, remove), Values: latest, Flags: json},
			{
				Name: "fork", Args: "<session>", Summary: "Make a copy of a session in this project", Run: manage.With(named, fork), Values: latest,
				Flags: []manage.Flag{
					manage.JSON,
					{Name: "at", Default: "", Usage: "Copy the session up to this `prompt`: its number or ID"},
					{Name: "before-rewind", Default: false, Usage: "Copy the session as it was before its last rewind"},
				},
			},
			{
				Name: "rewind", Args: "<session> [prompt]", Summary: "List the prompts of a session, or return to the state before one", Run: manage.With(named, rewind), Values: latest,
				Flags: json,
			},
		},
	}
}

// latest completes a session.
func latest(words []string, typed string) ([]string, manage.Offer) {
	return manage.First(func(string) []string { return []string{sessions.Latest} })(words, typed)
}

// latestAndFile completes a session, and then a file.
func latestAndFile(words []string, typed string) ([]string, manage.Offer) {
	if len(words) > 0 {
		return nil, manage.Files
	}
	return latest(words, typed)
}

// projectSessions are the sessions of a project.
type projectSessions struct {
	project string // its directory
	store   *sessions.Store
	list    []sessions.Info
}

// projects returns the sessions of this project, or of all projects that have any.
func projects(ctx context.Context, c *manage.Call, all bool) (*config.Paths, []projectSessions, error) {
	paths, err := c.Paths()
	if err != nil {
		return nil, nil, err
	}
	list := []projectSessions{{project: paths.Dir(), store: Of(paths)}}
	if all {
		list = nil
		for _, p := range paths.Projects() {
			list = append(list, projectSessions{project: p.Dir, store: &sessions.Store{Dir: filepath.Join(p.Temp, chatsDir)}})
		}
	}
	for i := range list {
		if list[i].list, err = list[i].store.List(ctx); err != nil {
			return nil, nil, cannotList(err)
		}
	}
	return paths, list, nil
}

// Session is a row of the list of sessions.
type Session struct {
	Number  int       `json:"number,omitempty"` // for --resume in its project
	ID      string    `json:"id"`
	Title   string    `json:"title"`
	Project string    `json:"project,omitempty"`
	Path    string    `json:"path"`
	Start   time.Time `json:"startTime"`
	Updated time.Time `json:"lastUpdated"`
	Prompts int       `json:"prompts"`
	ForkOf  string    `json:"forkOf,omitempty"`
}

func newSession(i sessions.Info, number int, project string) Session {
	return Session{number, i.ID, i.Title, project, i.Path, i.Start.UTC(), i.Updated.UTC(), i.Prompts, i.ForkOf}
}

// list lists the sessions of this project, or of all.
func list(ctx context.Context, c *manage.Call) (outcome.Outcome, error) {
	paths, projects, err := projects(ctx, c, c.Is("all"))
	if err != nil {
		return outcome.Outcome{}, err
	}
	rows := []Session{}
	t := &outcome.Table{Head: []string{"NO.", "ID", "LAST USED", "PROMPTS", "TITLE"}}
	now := time.Now()
	for _, p := range projects {
		if c.Is("all") && len(p.list) > 0 {
			t.Rows = append(t.Rows, []string{terminal.Line(paths.Display(p.project))})
		}
		for n, i := range p.list {
			rows = append(rows, newSession(i, n+1, p.project))
			t.Rows = append(t.Rows, []string{strconv.Itoa(n + 1), terminal.Line(i.ID), sessions.Ago(i.Updated, now), strconv.Itoa(i.Prompts), i.Title})
		}
	}
	o := outcome.New(t)
	switch {
	case len(t.Rows) == 0 && c.Is("all"):
		o = outcome.Textf("No previous sessions found.")
	case len(t.Rows) == 0:
		o = outcome.New(outcome.Text(sessions.ErrNone.Error()))
	}
	return o.WithValue(rows), nil
}

// Find returns the session that an identifier names: one of this project, or one of another project by its ID.
func Find(ctx context.Context, c *manage.Call, identifier string) (sessions.Info, error) {
	found, err := find(ctx, c, identifier)
	return found.Info, err
}

// located is a session and where it is.
type located struct {
	sessions.Info
	number  int // in the list of its project
	project string
	store   *sessions.Store
	paths   *config.Paths // of this project
}

// named returns the session that the first word of a call names.
func named(ctx context.Context, c *manage.Call) (located, error) {
	return find(ctx, c, c.Words[0])
}

// find returns the session that an identifier names: one of this project, or one of another project by
// its id.
func find(ctx context.Context, c *manage.Call, identifier string) (located, error) {
	paths, all, err := projects(ctx, c, false)
	if err != nil {
		return located{}, err
	}
	here := all[0]
	info, number, wrong := here.store.FindNumber(ctx, identifier)
	if wrong == nil {
		return located{info, number, here.project, here.store, paths}, nil
	}
	if _, err := strconv.Atoi(identifier); err != nil && identifier != sessions.Latest {
		if _, all, err = projects(ctx, c, true); err != nil {
			return located{}, err
		}
		for _, p := range all {
			for n, i := range p.list {
				if i.ID == identifier {
					return located{i, n + 1, p.project, p.store, paths}, nil
				}
			}
		}
	}
	return located{}, notFound(wrong, identifier)
}

func remove(ctx context.Context, _ *manage.Call, s located) (o outcome.Outcome, err error) {
	if err := s.store.Delete(ctx, s.Info); err != nil {
		return o, exit.Errorf(exit.General, "Cannot delete session %s: %w.", terminal.Line(s.ID), err)
	}
	return outcome.New(outcome.Text(deletedText(s.Info, s.number))).WithValue(newSession(s.Info, s.number, s.project)), nil
}

// notFound returns the error for an identifier for which [sessions.Store.Find] has returned wrong.
func notFound(wrong error, identifier string) error {
	var unknown *sessions.UnknownError
	if errors.As(wrong, &unknown) {
		return exit.Errorf(exit.General, "There is no session %q. To list the sessions, run: pollux sessions list", terminal.Line(identifier))
	}
	if errors.Is(wrong, sessions.ErrNone) {
		return exit.Errorf(exit.General, "%w", wrong)
	}
	return cannotList(wrong)
}
