// Package sessions manages the recorded sessions of projects: it lists, searches, shows, deletes and copies them.
package sessions

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/journal"
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
		Session: &manage.InSession{IsGroup: true, Summary: "Manage earlier sessions"},
		Subs: []*manage.Command{
			{Name: "list", Summary: "List the sessions of this project", Run: list, Flags: []manage.Flag{manage.JSON, all}},
			{
				Name: "show", Args: "<session>", Summary: "Print a session", Run: show, Values: latest,
				Flags: []manage.Flag{manage.JSON, {Name: "diff", Default: false, Usage: "Print the changes of files as a patch, which git apply takes"}},
			},
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
			{
				Name: "delete", Args: "<session>", Summary: "Delete a session", Run: manage.With(named, remove), Values: latest, Flags: json,
				Session: inSession("/sessions delete <session>", removeOther), RunsWhileBusy: true,
			},
			{
				Name: "fork", Args: "<session>", Summary: "Make a copy of a session in this project", Run: manage.With(named, fork), Values: latest,
				Session: inSession("/sessions fork <session>", fork), RunsWhileBusy: true,
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

func latest(words []string, typed string) ([]string, manage.Offer) {
	return manage.First(func(string) []string { return []string{sessions.Latest} })(words, typed)
}

func latestAndFile(words []string, typed string) ([]string, manage.Offer) {
	if len(words) > 0 {
		return nil, manage.Files
	}
	return latest(words, typed)
}

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

// find returns the session that an identifier names: one of this project, or one of another project by its id.
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

// Prompt is a row of the list of prompts.
type Prompt struct {
	Session string    `json:"session,omitempty"` // of a rewind
	Number  int       `json:"number"`
	ID      string    `json:"id"`
	Time    time.Time `json:"timestamp"`
	Text    string    `json:"text"`
}

func newPrompt(session string, p sessions.Prompt) Prompt {
	return Prompt{session, p.Number, p.ID, p.Time.UTC(), p.Text}
}

// rewind lists the prompts of a session. With a prompt, it returns to the state before it.
func rewind(_ context.Context, c *manage.Call, found located) (o outcome.Outcome, err error) {
	words := c.Words
	if len(words) == 1 {
		return listPrompts(found.Info)
	}
	p, err := sessions.Rewind(found.Info, words[1])
	if err != nil {
		text := fmt.Sprintf("Cannot rewind session %s: %s.", terminal.Line(found.ID), terminal.Line(err.Error()))
		var unknown *sessions.UnknownPromptError
		switch {
		case errors.As(err, &unknown):
			text += " To list its prompts, run: pollux sessions rewind " + words[0]
		case errors.Is(err, journal.ErrInUse):
			text += " To rewind it there, use /rewind. To copy it, run: pollux sessions fork " + words[0] + " --at " + words[1]
		}
		return o, exit.Errorf(exit.General, "%s", terminal.Line(text))
	}
	if !c.Is("json") {
		c.Whole(fmt.Sprintf("Rewound session %s to the state before prompt %d, which was:", terminal.Line(found.ID), p.Number))
	}
	return outcome.New(outcome.Text(p.Text)).WithValue(newPrompt(found.ID, p)), nil
}

func listPrompts(info sessions.Info) (outcome.Outcome, error) {
	s, err := journal.Load(info.Path)
	if err != nil {
		return outcome.Outcome{}, exit.Errorf(exit.General, "Cannot read %s: %w.", info.Path, err)
	}
	list := []Prompt{}
	for _, p := range sessions.Prompts(s) {
		list = append(list, newPrompt("", p))
	}
	if len(list) == 0 {
		return outcome.Textf("This session has no prompts to rewind to.").WithValue(list), nil
	}
	return outcome.New(outcome.NewTable([]string{"NO.", "TIME", "PROMPT"}, list, func(p Prompt) []string {
		return []string{strconv.Itoa(p.Number), p.Time.Local().Format("2006-01-02 15:04"), terminal.Cut(terminal.Line(p.Text), 200)}
	})).WithValue(list), nil
}

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
