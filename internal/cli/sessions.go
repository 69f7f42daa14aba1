package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/sessions"
	"pollux/internal/terminal"
)

// sessionsCommand returns the subcommand that lists and shows the sessions of projects, and moves them
// between projects.
func sessionsCommand(t *terminal.Terminal, env *config.Env) *cobra.Command {
	c := &sessionActions{term: t, env: env}
	cmd := &cobra.Command{
		Use: "sessions", Aliases: []string{"session"}, Short: "List, search and manage sessions",
		Args: cobra.NoArgs, RunE: func(cmd *cobra.Command, _ []string) error { return c.list(cmd.Context()) },
	}
	newCommand := func(use, short string, args cobra.PositionalArgs, run func(ctx context.Context, words []string) error) *cobra.Command {
		sub := &cobra.Command{Use: use, Short: short, Args: args, RunE: func(cmd *cobra.Command, words []string) error { return run(cmd.Context(), words) }}
		sub.Flags().BoolVar(&c.json, "json", false, "Print JSON")
		return sub
	}
	list := newCommand("list", "List the sessions of this project", cobra.NoArgs, func(ctx context.Context, _ []string) error { return c.list(ctx) })
	search := newCommand("search <text...>", "Search the text of sessions", cobra.MinimumNArgs(1), c.search)
	search.Flags().IntVar(&c.limit, "limit", 20, "`n` Maximum number of sessions; 0 is no limit")
	for _, sub := range []*cobra.Command{list, search} {
		sub.Flags().BoolVar(&c.all, "all", false, "Include the sessions of all projects")
	}
	export := newCommand("export <session> [file]", "Write a session as Markdown, JSON or HTML", cobra.RangeArgs(1, 2), c.export)
	choice(export.Flags(), &c.format, "format", "", "`format` Format, instead of that of the file name", "md", "json", "html")
	export.Flags().BoolVar(&c.force, "force", false, "Overwrite the file")
	export.Flags().Lookup("json").Hidden = true
	fork := newCommand("fork <session>", "Make a copy of a session in this project", cobra.ExactArgs(1), c.fork)
	fork.Flags().StringVar(&c.part.Before, "at", "", "Copy the session up to this `prompt`: its number or ID")
	fork.Flags().BoolVar(&c.part.BeforeRewind, "before-rewind", false, "Copy the session as it was before its last rewind")
	cmd.AddCommand(
		list,
		newCommand("show <session>", "Print a session", cobra.ExactArgs(1), c.show),
		search, export,
		newCommand("import <file>", "Make a session of this project from a file", cobra.ExactArgs(1), c.importFile),
		newCommand("delete <session>", "Delete a session", cobra.ExactArgs(1), c.delete),
		fork,
		newCommand("rewind <session> [prompt]", "List the prompts of a session, or return to the state before one", cobra.RangeArgs(1, 2), c.rewind),
	)
	return cmd
}

// sessionActions holds the flags of the subcommands of sessions.
type sessionActions struct {
	term             *terminal.Terminal
	env              *config.Env
	json, all, force bool
	limit            int // of sessions that a search prints
	format           string
	part             sessions.ForkOptions
}

// projectSessions are the sessions of a project.
type projectSessions struct {
	project string // its directory
	store   *sessions.Store
	list    []sessions.Info
}

// projects returns the sessions of this project, or of all projects that have any.
func (c *sessionActions) projects(ctx context.Context, all bool) (*config.Paths, []projectSessions, error) {
	dir, err := config.WorkingDir()
	if err != nil {
		return nil, nil, err
	}
	paths := config.NewPaths(c.env, dir)
	projects := []projectSessions{{project: dir, store: storeOf(paths)}}
	if all {
		projects = nil
		for _, p := range paths.Projects() {
			projects = append(projects, projectSessions{project: p.Dir, store: &sessions.Store{Dir: filepath.Join(p.Temp, chatsDir)}})
		}
	}
	for i := range projects {
		if projects[i].list, err = projects[i].store.List(ctx); err != nil {
			return nil, nil, cannotList(err)
		}
	}
	return paths, projects, nil
}

// sessionJSON is a session in JSON output.
type sessionJSON struct {
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

func newSessionJSON(i sessions.Info, number int, project string) sessionJSON {
	return sessionJSON{number, i.ID, i.Title, project, i.Path, i.Start.UTC(), i.Updated.UTC(), i.Prompts, i.ForkOf}
}

func (c *sessionActions) list(ctx context.Context) error {
	paths, projects, err := c.projects(ctx, c.all)
	if err != nil {
		return err
	}
	if c.json {
		return printJSON(c.term, newListJSON(projects))
	}
	var rows [][]string
	now := time.Now()
	for _, p := range projects {
		if c.all && len(p.list) > 0 {
			rows = append(rows, []string{terminal.Line(paths.Display(p.project))})
		}
		for n, i := range p.list {
			rows = append(rows, []string{strconv.Itoa(n + 1), terminal.Line(i.ID), sessions.Ago(i.Updated, now), strconv.Itoa(i.Prompts), i.Title})
		}
	}
	switch {
	case len(rows) == 0 && c.all:
		return printText(c.term, "No previous sessions found.")
	case len(rows) == 0:
		return printText(c.term, sessions.ErrNone.Error())
	}
	return printTable(c.term, []string{"NO.", "ID", "LAST USED", "PROMPTS", "TITLE"}, rows)
}

// newListJSON returns the output for the sessions of projects.
func newListJSON(projects []projectSessions) []sessionJSON {
	all := []sessionJSON{}
	for _, p := range projects {
		for n, i := range p.list {
			all = append(all, newSessionJSON(i, n+1, p.project))
		}
	}
	return all
}

// located is a session and where it is.
type located struct {
	sessions.Info
	number  int // in the list of its project
	project string
	store   *sessions.Store
	paths   *config.Paths // of this project
}

// find returns the session that an identifier names: one of this project, or one of another project by
// its id.
func (c *sessionActions) find(ctx context.Context, identifier string) (located, error) {
	paths, projects, err := c.projects(ctx, false)
	if err != nil {
		return located{}, err
	}
	here := projects[0]
	info, number, wrong := here.store.FindNumber(ctx, identifier)
	if wrong == nil {
		return located{info, number, here.project, here.store, paths}, nil
	}
	if _, err := strconv.Atoi(identifier); err != nil && identifier != sessions.Latest {
		if _, projects, err = c.projects(ctx, true); err != nil {
			return located{}, err
		}
		for _, p := range projects {
			for n, i := range p.list {
				if i.ID == identifier {
					return located{i, n + 1, p.project, p.store, paths}, nil
				}
			}
		}
	}
	return located{}, notFound(wrong, identifier)
}

func (c *sessionActions) search(ctx context.Context, words []string) error {
	_, projects, err := c.projects(ctx, c.all)
	if err != nil {
		return err
	}
	var infos []sessions.Info
	for _, p := range projects {
		infos = append(infos, p.list...)
	}
	if c.limit < 0 {
		return exit.Errorf(exit.General, "--limit must not be negative.")
	}
	text := strings.Join(words, " ")
	found, hasMore, err := sessions.Search(ctx, infos, text, c.limit)
	if err != nil {
		return err
	}
	if c.json {
		err = printJSON(c.term, newFoundJSON(found, projects))
	} else {
		err = c.printFound(found, hasMore)
	}
	if err == nil && len(found) == 0 {
		err = exit.Errorf(exit.General, "No session contains %q.", terminal.Text(text))
	}
	// What the search has read because it is not in the index is in it at the next one.
	const most = 2 * time.Second
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	_ = sessions.IndexTexts(ctx, infos, false) // it is only faster with an index
	return err
}

// foundJSON is a session that a search has found, in JSON output.
type foundJSON struct {
	sessionJSON
	Excerpts []excerptJSON `json:"excerpts"`
}

type excerptJSON struct {
	Kind string    `json:"type"`
	Time time.Time `json:"timestamp"`
	Text string    `json:"text"`
}

// newFoundJSON returns the output for sessions of projects.
func newFoundJSON(found []sessions.Found, projects []projectSessions) []foundJSON {
	list, at := make([]foundJSON, len(found)), map[string]int{} // by path
	for i, f := range found {
		at[f.Path] = i
		list[i].Excerpts = make([]excerptJSON, len(f.Excerpts))
		for n, e := range f.Excerpts {
			list[i].Excerpts[n] = excerptJSON(e)
		}
	}
	for _, p := range projects {
		for n, info := range p.list {
			if i, ok := at[info.Path]; ok {
				list[i].sessionJSON = newSessionJSON(info, n+1, p.project)
			}
		}
	}
	return list
}

func (c *sessionActions) printFound(found []sessions.Found, hasMore bool) error {
	var b strings.Builder
	now := time.Now()
	names := map[string]string{"user": "You", "gemini": "Model", "tool": "Tool"}
	for _, f := range found {
		fmt.Fprintf(&b, "%s (%s) [%s]\n", f.Title, sessions.Ago(f.Updated, now), terminal.Line(f.ID))
		for _, e := range f.Excerpts {
			b.WriteString(terminal.Hang("  "+names[e.Kind]+": ", e.Text, c.term.OutWidth()) + "\n")
		}
	}
	if hasMore {
		fmt.Fprintf(&b, "More sessions contain it. To print all, use --limit 0.\n")
	}
	_, err := fmt.Fprint(c.term.Out, terminal.Visible(b.String()))
	return err
}

func (c *sessionActions) delete(ctx context.Context, words []string) error {
	s, err := c.find(ctx, words[0])
	if err != nil {
		return err
	}
	if err := s.store.Delete(ctx, s.Info); err != nil {
		return exit.Errorf(exit.General, "Cannot delete session %s: %w.", terminal.Line(s.ID), err)
	}
	if c.json {
		return printJSON(c.term, newSessionJSON(s.Info, s.number, s.project))
	}
	return printText(c.term, deletedText(s.Info, s.number))
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
