package rewind

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"pollux/agent"
	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/theme"
	"pollux/internal/terminal"
	"pollux/llm"
	"pollux/tool"
)

// turn is a prompt and the changes of files from it to the next one.
type turn struct {
	id      string
	text    string // as the user wrote it, not cleaned
	at      time.Time
	changes []change
}

// change is a change of a file by a call.
type change struct {
	path  string            // as people read it, clean
	added int               // lines
	gone  int               // removed lines
	diff  *tool.DiffDisplay // nil for a change by a command
	more  int               // files that path stands for, apart from one; not all that a command has changed have names
}

// turnsOf returns the prompts of a conversation, the oldest first.
func turnsOf(history []agent.Message, calls map[string][]agent.CallRecord, shortPath func(string) string) (turns []turn) {
	for _, m := range history {
		if m.IsPrompt {
			turns = append(turns, turn{id: m.ID, text: cmp.Or(m.Shown, llm.PartsText(m.Content.Parts)), at: m.Time})
			continue
		}
		if len(turns) == 0 {
			continue
		}
		last := &turns[len(turns)-1]
		for i := range calls[m.ID] {
			last.changes = append(last.changes, changesOf(&calls[m.ID][i], shortPath)...)
		}
	}
	return turns
}

// changesOf returns the changes of files by a call, as /rewind can undo them.
func changesOf(c *agent.CallRecord, shortPath func(string) string) (changes []change) {
	for _, x := range c.Ran() {
		if n := x.ShownChanges(); n != nil {
			changes = append(changes, byCommand(n)...)
			continue
		}
		if x.Result == nil || x.Status != agent.Success {
			continue
		}
		if d, ok := x.Result.Display.(*tool.DiffDisplay); ok {
			changes = append(changes, change{
				path: styled.Text(shortPath(d.FilePath)), added: d.Stat.ModelAddedLines + d.Stat.UserAddedLines,
				gone: d.Stat.ModelRemovedLines + d.Stat.UserRemovedLines, diff: d,
			})
		}
	}
	return changes
}

// byCommand returns the changes of a command.
func byCommand(n *tool.Changes) (changes []change) {
	for _, f := range n.Files {
		changes = append(changes, change{path: styled.Text(f.Path), added: f.Added, gone: f.Removed})
	}
	if more := n.Total() - len(n.Files); more > 0 {
		rest := change{path: fmt.Sprintf("%d more files", more), added: n.Added, gone: n.Removed, more: more - 1}
		for _, f := range n.Files {
			rest.added -= f.Added
			rest.gone -= f.Removed
		}
		changes = append(changes, rest)
	}
	return changes
}

// files returns the sum of the changes of each file, in the order of the first ones.
func files(changes []change) (sums []change) {
	index := map[string]int{}
	for _, c := range changes {
		i, ok := index[c.path]
		if !ok {
			index[c.path] = len(sums)
			sums = append(sums, c)
			continue
		}
		sums[i].added += c.added
		sums[i].gone += c.gone
	}
	return sums
}

// line describes a change: "path +3 -1".
func (c change) line(t theme.Theme) styled.Line {
	return append(styled.Of(c.path+" ", t.Secondary()), counts(c.added, c.gone, t)...)
}

func counts(added, gone int, t theme.Theme) styled.Line {
	return styled.Line{
		{Text: fmt.Sprintf("+%d", added), Style: t.Success()}, {Text: " "}, {Text: fmt.Sprintf("-%d", gone), Style: t.Error()},
	}
}

// summary describes changes in one line.
func summary(changes []change, t theme.Theme) styled.Line {
	sums := files(changes)
	switch len(sums) {
	case 0:
		return styled.Of("No files have been changed", t.Secondary())
	case 1:
		return sums[0].line(t)
	}
	added, gone, n := 0, 0, len(sums)
	for _, c := range sums {
		added += c.added
		gone += c.gone
		n += c.more
	}
	return append(styled.Of(fmt.Sprintf("%d files changed ", n), t.Secondary()), counts(added, gone, t)...)
}

// shown returns the beginning of the prompt, clean and in one line.
func (u *turn) shown() string {
	const most = 8 << 10 // bytes
	text := strings.TrimSpace(terminal.Line(strings.ToValidUTF8(u.text[:min(len(u.text), most)], "")))
	if len(u.text) > most {
		text += "…"
	}
	return cmp.Or(text, "(empty)")
}
