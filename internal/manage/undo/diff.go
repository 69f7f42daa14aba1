package undo

import (
	"context"
	"fmt"
	"strings"

	"pollux/internal/manage"
	"pollux/internal/outcome"
	"pollux/internal/shellcmd"
	"pollux/internal/snapshots"
	"pollux/internal/terminal"
	"pollux/internal/undo/history"
	"pollux/internal/undo/patch"
	"pollux/internal/undo/revert"
	"pollux/internal/wording"
	"pollux/internal/workspace"
)

// diff shows the changes that the arguments name, as one.
func diff(_ context.Context, c *manage.Call, l *log) (outcome.Outcome, error) {
	if err := c.ReadFlags(nil, []string{to.Name}); err != nil {
		return outcome.Outcome{}, err
	}
	s, err := selection(c)
	if err != nil {
		return outcome.Outcome{}, err
	}
	operations, err := l.Undo(s)
	if err != nil {
		return outcome.Outcome{}, err
	}
	var b strings.Builder
	summary, err := revert.Show(l.store, operations).Patch(&b, l.names(""))
	return shown(c, summary, b.String()), err
}

// wholeSession is the argument of /diff for all changes of the session.
const wholeSession = "session"

// sinceAndFiles completes the arguments of /diff.
func sinceAndFiles(words []string, typed string) ([]string, manage.Offer) {
	if len(words) == 0 && strings.HasPrefix(wholeSession, typed) {
		return []string{wholeSession}, manage.Files
	}
	return nil, manage.Files
}

// diffSince shows the change of the session since its last prompt, or since it began.
func diffSince(_ context.Context, c *manage.Call, l *log) (o outcome.Outcome, err error) {
	part := history.Part{Sessions: []string{c.Live.ID()}}
	prompts := c.Live.Prompts()
	if len(prompts) > 0 {
		part.Began = prompts[0].Time
	}
	word, rest := manage.CutWord(c.Text)
	nothing := "No file has changed in this session."
	if word != wholeSession {
		rest = c.Text
		if len(prompts) > 0 {
			part.Since = prompts[len(prompts)-1].Time
			nothing = "No file has changed since your last prompt. For the changes of the whole session: /diff session"
		}
	}
	path := ""
	if rest != "" {
		path = manage.Path(l.project.Paths, rest)
	}
	var b strings.Builder
	summary, warnings, err := snapshots.WritePatch(&b, l.store, part, l.names(path))
	if err != nil {
		return o, err
	}
	if b.Len() == 0 {
		if path != "" {
			nothing = l.name(path) + " has not changed."
		}
		o = outcome.Textf("%s", nothing)
	} else {
		o = shown(c, summary, strings.TrimSuffix(b.String(), "\n"))
	}
	for _, text := range warnings {
		o.Parts = append(o.Parts, outcome.Text(text))
	}
	return o, nil
}

// names returns the options of a patch for people, of a path and those below it, "" for all. Files outside the tree of the
// project have their whole paths.
func (l *log) names(only string) patch.Options {
	o := snapshots.TreeOf(l.project.Paths.Dir()).Options()
	inTree := o.Name
	o.Name = func(path string) (string, bool) {
		if only != "" && !workspace.IsWithin(path, only) {
			return "", false
		}
		if name, ok := inTree(path); ok {
			return name, true
		}
		return strings.TrimPrefix(path, "/"), true
	}
	return o
}

// The numbers of files, and in a session of lines, that are shown.
const (
	mostFiles = 50
	mostLines = 500
)

// shown shows a patch, with its extent above it.
func shown(c *manage.Call, s *patch.Summary, text string) outcome.Outcome {
	added, removed := s.Lines()
	o := outcome.Textf("%s changed, %s added, %s removed.", wording.Count(len(s.Files), "file"), wording.Count(added, "line"), wording.Count(removed, "line"))
	table := &outcome.Table{Rows: s.Rows()}
	if more := len(table.Rows) - mostFiles; more > 0 {
		table.Rows = append(table.Rows[:mostFiles], []string{"and " + wording.Count(more, "more file")})
	}
	if len(table.Rows) > 0 {
		o.Parts = append(o.Parts, table)
	}
	text = strings.TrimSuffix(text, "\n")
	lines := strings.SplitN(text, "\n", mostLines+1)
	if c.Live == nil || len(lines) <= mostLines {
		o.Parts = append(o.Parts, outcome.Diff(text))
		return o
	}
	o.Parts = append(o.Parts, outcome.Diff(strings.Join(lines[:mostLines], "\n")))
	more := strings.Count(lines[mostLines], "\n") + 1
	o.Parts = append(o.Parts, outcome.Text(fmt.Sprintf("%s more. To see all in a shell: pollux sessions show %s --diff", wording.Count(more, "line"), shellcmd.Quote(terminal.Line(c.Live.ID())))))
	return o
}
