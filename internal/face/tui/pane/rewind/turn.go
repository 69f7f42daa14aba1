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
	path  string // as people read it, clean
	added int    // lines
	gone  int    // removed lines
	diff  *tool.DiffDisplay
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

// files returns the sum of the changes of each file, in the order of the first ones.
func files(changes []change) (sums []change) {
	index := map[string]int{}
	for _, c := range changes {
		i, ok := index[c.diff.FilePath]
		if !ok {
			index[c.diff.FilePath] = len(sums)
			sums = append(sums, change{path: c.path, added: c.added, gone: c.gone, diff: c.diff})
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
	added, gone := 0, 0
	for _, c := range sums {
		added += c.added
		gone += c.gone
	}
	return append(styled.Of(fmt.Sprintf("%d files changed ", len(sums)), t.Secondary()), counts(added, gone, t)...)
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
