package undo

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"pollux/internal/manage"
	"pollux/internal/outcome"
	"pollux/internal/shellcmd"
	"pollux/internal/snapshots"
	"pollux/internal/terminal"
	"pollux/internal/undo/revert"
	"pollux/internal/undo/state"
	"pollux/internal/undo/store"
	"pollux/internal/wording"
)

// summary lists the paths that an undo changes, or would change. restores is the path that a restore names, "" for an undo.
func (l *log) summary(operations []*store.Operation, verb string, changes, stay []revert.Step, c *manage.Call, restores string) string {
	var b strings.Builder
	switch {
	case len(changes) == 0 && len(stay) == 0 && (restores != "" || c.Is(dryRun.Name)):
		b.WriteString("All files are as they were already.\n")
	case len(changes) == 0 && len(stay) == 0:
		fmt.Fprintf(&b, "%s %s (%s): all files are as they were already.\n", verb, numbers(operations), titles(operations))
	case c.Is(dryRun.Name) && len(changes) > 0:
		fmt.Fprintf(&b, "%s would change:\n", extent(changes))
	case len(changes) > 0:
		fmt.Fprintf(&b, "%s %s (%s): %s.\n", verb, numbers(operations), titles(operations), extent(changes))
	}
	b.WriteString(l.list(changes, c.Is(all.Name)))
	if len(stay) > 0 {
		b.WriteString("These paths stay as they are:\n")
	}
	var since []revert.Step // that were changed since
	for i, s := range stay {
		if s.IsOverwritable {
			since = append(since, s)
		}
		if i == mostSteps && !c.Is(all.Name) {
			fmt.Fprintf(&b, "  and %d more; --all lists them\n", len(stay)-mostSteps)
			break
		}
		fmt.Fprintf(&b, "  %s: %s\n", l.name(s.Path), s.Problem)
	}
	if len(since) > 0 {
		b.WriteString(next(operations, since, c, len(changes) > 0 && !c.Is(dryRun.Name), restores))
	}
	b.WriteString(others(operations))
	return strings.TrimSuffix(b.String(), "\n")
}

// next is the sentence about how to bring back paths that were changed since. If other paths are undone, the same command would undo
// older changes: the sentence names the command for these.
func next(operations []*store.Operation, since []revert.Step, c *manage.Call, isUndone bool, restores string) string {
	isMerged := c.Is(merges.Name)
	switch {
	case !isUndone && isMerged:
		return "To bring them back without what was changed since, use --overwrite instead.\n"
	case !isUndone:
		return "To bring back files that were changed since, too, add --merge, which keeps those changes, or --overwrite.\n"
	}
	var commands []string
	if restores != "" {
		commands = []string{command(c, "restore", restores)}
	} else {
		for _, o := range operations { // the newest first: it comes on top of the others
			if slices.ContainsFunc(o.Changes, func(c store.Change) bool {
				return slices.ContainsFunc(since, func(s revert.Step) bool { return s.Path == c.Path })
			}) {
				commands = append(commands, command(c, "", "#"+strconv.Itoa(o.Number)))
			}
		}
	}
	if isMerged {
		return "To bring them back without what was changed since, run " + strings.Join(withOption(commands, overwrite), ", then ") + ".\n"
	}
	return "To bring back files that were changed since, too, run " + strings.Join(withOption(commands, merges), ", then ") +
		", which keeps those changes. With --overwrite instead, they are lost.\n"
}

// command is a command of undo as a person types it where the call came from.
func command(c *manage.Call, sub, argument string) string {
	words := []string{"pollux", "undo"}
	if c.Live != nil {
		words = []string{"/undo"}
	} else {
		argument = shellcmd.Quote(argument)
	}
	if sub != "" {
		words = append(words, sub)
	}
	return strings.Join(append(words, argument), " ")
}

func withOption(commands []string, option manage.Flag) (list []string) {
	for _, c := range commands {
		list = append(list, c+" --"+option.Name)
	}
	return list
}

// others says who else may have made the changes.
func others(operations []*store.Operation) string { return meanwhile(operations) + beside(operations) }

// meanwhile is the sentence about commands that ran for long: edits of a person in that time count as theirs.
func meanwhile(operations []*store.Operation) string {
	var long []string
	for _, o := range operations {
		if o.IsAnywhere && (o.Kind == store.Call || o.Kind == store.Command) && o.IsLong() {
			long = append(long, fmt.Sprintf("#%d ran for %s", o.Number, wording.Duration(o.Ended.Sub(o.Began))))
		}
	}
	if len(long) == 0 {
		return ""
	}
	return few(long) + ": files that you have edited meanwhile are among these changes.\n"
}

// beside says which programs may have made the changes, too.
func beside(operations []*store.Operation) string {
	var list []string
	for _, o := range operations {
		for _, text := range o.Beside {
			if text = terminal.Cut(terminal.Line(text), 100); !slices.Contains(list, text) {
				list = append(list, text)
			}
		}
	}
	switch {
	case len(list) == 0:
		return ""
	case len(operations) == 1 && operations[0].Kind == store.Background:
		return "Among these changes may be " + few(list) + ".\n"
	}
	return "At the same time ran: " + few(list) + ". Some of these changes may be theirs.\n"
}

// between names the changes of programs in the background after an operation of a session, which are not taken back with
// it.
func (l *log) between(c *manage.Call, session string, after int) string {
	var names, titles []string
	for _, h := range l.Between(session, after) {
		names = append(names, "#"+strconv.Itoa(h.Number))
		if text := terminal.Cut(terminal.Line(h.Title), 60); !slices.Contains(titles, text) {
			titles = append(titles, text)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf("Not undone: what programs in the background (%s), or you, have changed between the calls (%s). To undo that, run %s.",
		few(titles), few(names), command(c, "", names[0]))
}

// few joins the first of some texts.
func few(list []string) string {
	const most = 5
	if len(list) > most {
		return strings.Join(list[:most], ", ") + " and " + strconv.Itoa(len(list)-most) + " more"
	}
	return strings.Join(list, ", ")
}

// sign is the letter of a path that comes back, goes away, or changes, as git has them.
func sign(s revert.Step) string {
	switch {
	case s.From.State.Kind == state.Absent:
		return "A"
	case s.To.State.Kind == state.Absent:
		return "D"
	}
	return "M"
}

// titles describes the oldest of some operations, and rather a call than its hooks.
func titles(operations []*store.Operation) string {
	for _, o := range slices.Backward(operations) {
		if o.Kind == store.Call {
			return title(o.Header)
		}
	}
	return title(operations[len(operations)-1].Header)
}

// title describes an operation on one line.
func title(h store.Header) string {
	text := terminal.Line(strings.TrimSpace(h.Name + " " + h.Title))
	if text == "" {
		text = terminal.Line(h.Tool)
	}
	text = terminal.Cut(text, 60)
	if h.Kind == store.Background {
		text += " (in the background, or you)"
	}
	return text
}

// row is an operation for programs.
type row struct {
	Number  int       `json:"number"`
	Time    time.Time `json:"time"`
	Kind    string    `json:"kind"`
	Session string    `json:"session,omitempty"`
	Prompt  string    `json:"prompt,omitempty"`
	Call    string    `json:"call,omitempty"`
	Tool    string    `json:"tool,omitempty"`
	Name    string    `json:"name,omitempty"`
	Title   string    `json:"title,omitempty"`
	Created int       `json:"created"`
	Changed int       `json:"changed"`
	Deleted int       `json:"deleted"`
	Lost    int       `json:"lost"`
	Bytes   int64     `json:"bytes"`
	Undone  bool      `json:"undone"`
	Undoes  []int     `json:"undoes,omitempty"`
	Beside  []string  `json:"beside,omitempty"`
}

func list(_ context.Context, c *manage.Call, l *log) (outcome.Outcome, error) {
	rows := []row{}
	for _, h := range l.All() {
		rows = append(rows, row{
			Number: h.Number, Time: h.Ended, Kind: string(h.Kind), Session: h.Session, Prompt: h.Prompt, Call: h.Call, Tool: h.Tool, Name: h.Name, Title: h.Title,
			Created: h.Created, Changed: h.Changed, Deleted: h.Deleted, Lost: h.Lost, Bytes: h.Bytes, Undone: l.IsUndone(h.Number), Undoes: h.Undoes, Beside: h.Beside,
		})
	}
	if len(rows) == 0 {
		return outcome.Textf("No changes recorded.").WithValue(rows), nil
	}
	table := outcome.NewTable([]string{"#", "Time", "Change", "Paths", "Size", ""}, rows, func(r row) []string {
		return []string{"#" + strconv.Itoa(r.Number), r.Time.Local().Format("Jan _2 15:04"), title(store.Header{Kind: store.Kind(r.Kind), Title: r.Title, Name: r.Name, Tool: r.Tool}), counts(r), wording.Bytes(r.Bytes), mark(r)}
	})
	total := outcome.Text("The log in " + l.project.Paths.Display(l.store.Dir()) + " has " + snapshots.Space(l.store) + ".")
	o := outcome.New(table, total)
	for _, d := range l.Damaged {
		o.Parts = append(o.Parts, outcome.Text(wording.Sentence(d.Err)))
	}
	return o.WithValue(rows), nil
}

func counts(r row) string {
	var parts []string
	for _, p := range []struct {
		n    int
		sign string
	}{{r.Created, "+"}, {r.Changed, "~"}, {r.Deleted, "-"}} {
		if p.n > 0 {
			parts = append(parts, p.sign+strconv.Itoa(p.n))
		}
	}
	return strings.Join(parts, " ")
}

func mark(r row) string {
	switch {
	case r.Undone:
		return "undone"
	case r.Lost > 0:
		return wording.Count(r.Lost, "file") + " not kept"
	}
	return ""
}
