// Package undo manages the changes that tool calls and commands have made in files: it lists, shows and undoes them.
package undo

import (
	"context"
	"errors"
	"path/filepath"
	"strconv"
	"strings"

	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/manage"
	"pollux/internal/outcome"
	"pollux/internal/project"
	"pollux/internal/snapshots"
	"pollux/internal/terminal"
	recorder "pollux/internal/undo"
	"pollux/internal/undo/history"
	"pollux/internal/undo/revert"
	"pollux/internal/undo/store"
	"pollux/internal/wording"
)

var (
	dryRun    = manage.Flag{Name: "dry-run", Default: false, Usage: "Show what would change, and change nothing"}
	overwrite = manage.Flag{Name: "overwrite", Default: false, Usage: "Also bring back files that were changed since"}
	merges    = manage.Flag{Name: "merge", Default: false, Usage: "Also bring back lines of text files that were changed since, and keep those changes"}
	all       = manage.Flag{Name: "all", Default: false, Usage: "List all paths, not only the first 20"}
	to        = manage.Flag{Name: "to", Default: "", Usage: "Take all changes since the prompt with this id"}
)

// Commands returns the commands about undo.
func Commands() []*manage.Command {
	return []*manage.Command{
		{
			Name: "undo", Args: "[<number> | #<change>]", Summary: "Undo what tool calls and commands have changed in files",
			Details: "Without an argument, the last change of the newest session in this directory is undone, with a number the last ones, and with a # and the number that the log shows a certain one. Only paths that the change itself has changed are touched. A file that was changed since stays as it is, unless --merge or --overwrite is set. An undo can be taken back by redo.",
			Example: "pollux undo\n  pollux undo 3\n  pollux undo '#12' --dry-run",
			Flags:   []manage.Flag{dryRun, all, merges, overwrite, to}, Run: manage.With(open, undo), Session: &manage.InSession{},
			Subs: []*manage.Command{
				{Name: "log", Summary: "List what has changed", Flags: []manage.Flag{manage.JSON}, Run: manage.With(openToShow, showing(list)), Session: &manage.InSession{}, RunsWhileBusy: true},
				{Name: "diff", Args: "[<number> | #<change>]", Summary: "Show a change as a diff", Flags: []manage.Flag{to}, Run: manage.With(openToShow, showing(diff)), Session: &manage.InSession{}, RunsWhileBusy: true},
				{
					Name: "restore", Args: "<path>", Summary: "Bring back a file or directory as it was before its last change",
					Flags: flags(), Run: manage.With(open, restore), Session: &manage.InSession{}, Values: manage.FileNames,
				},
			},
		},
		{
			Name: "redo", Summary: "Take the last undo back", Flags: flags(),
			Run: manage.With(open, redo), Session: &manage.InSession{},
		},
		manage.SessionOnly(&manage.Command{
			Name: "diff", Args: "[session] [path]", Values: sinceAndFiles, Summary: "Show what has changed in files since your last prompt, or in the whole session",
			RunsWhileBusy: true, Run: manage.With(openToShow, showing(diffSince)),
		}),
	}
}

// flags are the options of all commands that change files.
func flags() []manage.Flag { return []manage.Flag{dryRun, all, merges, overwrite} }

// readFlags reads them, and options with values, in the arguments of a / command.
func readFlags(c *manage.Call, values ...string) error {
	err := c.ReadFlags([]string{dryRun.Name, all.Name, merges.Name, overwrite.Name}, values)
	if err == nil && c.Is(merges.Name) && c.Is(overwrite.Name) {
		err = exit.Errorf(exit.Input, "--merge keeps what was changed since, and --overwrite does not. Remove one of them.")
	}
	return err
}

// log is the undo log of a project.
type log struct {
	*history.History
	project *project.Project
	store   *store.Store // nil if there is none
	// unsettled is why the work that killed processes have left is not done, nil if it is.
	unsettled error
}

// open opens the log for a command that changes files, which needs all changes before.
func open(ctx context.Context, c *manage.Call) (*log, error) {
	l, err := openToShow(ctx, c)
	if err == nil && l.unsettled != nil {
		return nil, l.unsettled
	}
	return l, err
}

func openToShow(ctx context.Context, c *manage.Call) (*log, error) {
	p, err := c.Load(ctx)
	if err != nil {
		return nil, err
	}
	return read(ctx, p)
}

// showing returns run for a command that only shows the log. It adds a warning if the log may lack changes, for example
// because there is no room for them on the disk.
func showing(run func(context.Context, *manage.Call, *log) (outcome.Outcome, error)) func(context.Context, *manage.Call, *log) (outcome.Outcome, error) {
	return func(ctx context.Context, c *manage.Call, l *log) (outcome.Outcome, error) {
		o, err := run(ctx, c, l)
		warning := l.warning()
		switch {
		case warning == "":
			return o, err
		case err != nil:
			return o, errors.Join(err, l.unsettled)
		case c.Live != nil:
			o.Parts = append(o.Parts, outcome.Text(warning))
		default:
			o.Notes = append(o.Notes, warning)
		}
		return o, nil
	}
}

// warning is the sentence about changes that the log may lack, "" if it lacks none.
func (l *log) warning() string {
	if l.unsettled == nil {
		return ""
	}
	return "Warning: the log may lack changes. " + wording.Sentence(l.unsettled)
}

// Settled returns the undo log of the project that paths are of, nil if there is none. What killed processes have left
// undone is done. The log can be read even if that has failed.
func Settled(ctx context.Context, p *project.Project, paths *config.Paths) (*store.Store, error) {
	s := snapshots.Existing(p, paths)
	if s == nil {
		return nil, nil
	}
	return s, errors.Join(revert.Finish(ctx, s), recorder.Recover(ctx, s, snapshots.Git(p, paths.Dir())))
}

// session returns the id of the session whose changes are meant, "" for the newest one.
func session(c *manage.Call) string {
	if c.Live != nil {
		return c.Live.ID()
	}
	return ""
}

// errArguments is the error of arguments that name no change.
var errArguments = errors.New("name a number of changes, or one change as #12; to list them, run pollux undo log")

// selection returns the changes that the arguments name. The options are read already.
func selection(c *manage.Call) (s history.Selection, err error) {
	s.Session, s.Count = session(c), 1
	s.Prompt = c.Value(to.Name)
	if len(c.Words) > 1 || len(c.Words) == 1 && s.Prompt != "" {
		return s, errArguments
	}
	if len(c.Words) == 1 {
		n, err := strconv.Atoi(c.Words[0])
		switch {
		case err == nil && n > 0:
			s.Count = n
		case err == nil:
			return s, errArguments
		default:
			s.Call = c.Words[0]
		}
	}
	return s, nil
}

func undo(ctx context.Context, c *manage.Call, l *log) (outcome.Outcome, error) {
	if err := readFlags(c, to.Name); err != nil {
		return outcome.Outcome{}, err
	}
	s, err := selection(c)
	if err != nil {
		return outcome.Outcome{}, err
	}
	operations, err := l.Undo(s)
	if errors.Is(err, history.ErrNothing) {
		return manage.Say("%s", strings.TrimSpace("Nothing to undo. "+l.between(c, s.Session, 0)))
	}
	if err != nil {
		return outcome.Outcome{}, err
	}
	o, err := l.takeBack(ctx, c, operations, "Undone", nil)
	if err == nil && s.Call == "" {
		oldest := operations[len(operations)-1]
		if text := l.between(c, oldest.Session, oldest.Number); text != "" {
			o.Parts = append(o.Parts, outcome.Text(text))
		}
	}
	return o, err
}

func redo(ctx context.Context, c *manage.Call, l *log) (outcome.Outcome, error) {
	if err := readFlags(c); err != nil {
		return outcome.Outcome{}, err
	}
	if len(c.Words) > 0 {
		return outcome.Outcome{}, exit.Errorf(exit.Input, "redo takes no arguments.")
	}
	operations, err := l.Redo(session(c))
	if errors.Is(err, history.ErrNothingToRedo) {
		return manage.Say("Nothing to redo.")
	}
	if err != nil {
		return outcome.Outcome{}, err
	}
	return l.takeBack(ctx, c, operations, "Done again", nil)
}

func restore(ctx context.Context, c *manage.Call, l *log) (outcome.Outcome, error) {
	if err := readFlags(c); err != nil {
		return outcome.Outcome{}, err
	}
	if len(c.Words) == 0 {
		return outcome.Outcome{}, exit.Errorf(exit.Input, "Name a file or directory.")
	}
	path := manage.Path(l.project.Paths, strings.Join(c.Words, " ")) // a path may have spaces
	operations, err := l.Touching(path)
	if err != nil {
		return outcome.Outcome{}, err
	}
	return l.takeBack(ctx, c, operations, "Brought back", func(p string) bool { return p == path || strings.HasPrefix(p, path+"/") })
}

// takeBack takes operations back, as far as they changed paths that keep wants, nil for all.
func (l *log) takeBack(ctx context.Context, c *manage.Call, operations []*store.Operation, verb string, keep func(string) bool) (outcome.Outcome, error) {
	plan, err := revert.Make(ctx, l.store, operations)
	if err != nil {
		return outcome.Outcome{}, err
	}
	if keep != nil {
		plan.Select(keep)
	}
	switch {
	case c.Is(overwrite.Name):
		plan.Overwrite()
	case c.Is(merges.Name):
		if err := plan.Merge(ctx); err != nil {
			return outcome.Outcome{}, err
		}
	}
	changes, stay := plan.Changes(), plan.Problems()
	restores := ""
	if keep != nil {
		restores = strings.Join(c.Words, " ")
	}
	text := l.summary(operations, verb, changes, stay, c, restores)
	if len(changes) == 0 && len(stay) > 0 {
		return outcome.Outcome{}, exit.Errorf(exit.General, "%s", text)
	}
	isAgain := l.IsUndone(operations[0].Number) // for paths that the undo has left
	if len(changes) == 0 && isAgain {
		return outcome.Outcome{}, exit.Errorf(exit.General, "%s: undone already.", numbers(operations))
	}
	o := outcome.New(outcome.Text(text))
	if c.Is(dryRun.Name) || len(changes) == 0 && keep != nil {
		return o, nil
	}
	base, err := l.store.Open()
	if err != nil {
		return outcome.Outcome{}, err
	}
	defer base.Close()
	header := store.Header{Session: operations[0].Session, Title: verb + " " + numbers(operations), IsPartial: isAgain}
	if len(changes) == 0 { // else the next undo would find the same operations
		return o, plan.Note(base, header)
	}
	if _, err := plan.Apply(ctx, base, header); err != nil {
		return outcome.Outcome{}, err
	}
	if c.Live != nil {
		c.Live.TellUndone(ctx, paths(changes))
	}
	return o, nil
}

func paths(steps []revert.Step) (list []string) {
	const most = 100
	for _, s := range steps[:min(len(steps), most)] {
		list = append(list, s.Path)
	}
	return list
}

// name returns a path as people read it.
func (l *log) name(path string) string {
	if rel, err := filepath.Rel(l.project.Paths.Dir(), path); err == nil && filepath.IsLocal(rel) {
		return terminal.Cut(terminal.Line(rel), 200)
	}
	return terminal.Cut(terminal.Line(l.project.Paths.Display(path)), 200)
}

func numbers(operations []*store.Operation) string {
	var list []string
	for _, o := range operations {
		list = append(list, "#"+strconv.Itoa(o.Number))
	}
	const most = 5
	if len(list) > most {
		return strings.Join(list[:most], ", ") + " and " + wording.Count(len(list)-most, "more change")
	}
	return strings.Join(list, ", ")
}
