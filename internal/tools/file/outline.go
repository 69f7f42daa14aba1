package file

import (
	"context"
	"fmt"
	"strings"

	"pollux/internal/outline"
	"pollux/internal/wording"
	"pollux/llm"
	"pollux/tool"
)

// The limits of an outline in tokens.
const (
	maxOutline = 8000 // of one that the model asks for
	maxBelow   = 4000 // of one below a part of a file
	minBelow   = 60
	// shareBelow is the part of the room for an outline below a part of a file.
	shareBelow = 5
)

// outlineStart begins the line before an outline.
const outlineStart = "Outline of "

// howToRead ends the line before an outline.
const howToRead = "; read a part with start_line and end_line:\n"

// outlined returns the result of a call that asks for an outline. got is the whole file.
func (c *readFileCall) outlined(got *content, room int) *tool.Result {
	last := got.total
	if c.last > 0 {
		last = min(c.last, last)
	}
	list := between(outline.Of(c.abs, got.text), max(c.first, 1), last)
	name := c.w.Rel(c.abs)
	about := fmt.Sprintf("%s (%s, %s)", name, plural(got.total, "line"), wording.Bytes(got.size))
	if c.first > 0 || c.last > 0 {
		about = fmt.Sprintf("lines %d-%d of %s", max(c.first, 1), last, about)
	}
	text := fmt.Sprintf("No outline of %s: no declarations found. Read it with start_line and end_line, or search it with grep_search.", about)
	if len(list) > 0 {
		limit := maxOutline
		if room > 0 {
			limit = max(1, min(limit, room-headerTokens))
		}
		text = outlineStart + about + howToRead + render(list, limit)
	}
	return &tool.Result{
		Content: []llm.Part{llm.Text(c.taken + got.encodingLine() + text)},
		Display: tool.TextDisplay(fmt.Sprintf("Outline of %s: %s", name, plural(len(list), "declaration"))),
		Summary: "outline of " + plural(got.total, "line"),
	}
}

// fitOutlined makes the window fit a number of tokens, 0 for any, as [window.fit] does. If lines of
// a file that the call wants as a whole are left out, it returns their outline, "" if there is none.
func (c *readFileCall) fitOutlined(ctx context.Context, got *content, room int) string {
	size := llm.EstimateTokens([]llm.Part{{Text: got.text}})
	if isAll := !got.hasMore() || c.last > 0 && got.last >= c.last; room > 0 && isAll && size <= room-wholeHeader {
		return ""
	}
	var list []outline.Line
	limit := maxBelow
	if room > 0 {
		limit = min(limit, room/shareBelow)
	}
	isCut := got.hasMore() || room > 0 && size > room-headerTokens
	if isCut && c.first == 0 && c.last == 0 && limit >= minBelow && outline.Knows(c.abs) {
		if whole, err := read(ctx, c.w, c.abs, 1, maxLine); err == nil && whole.isText() {
			list = between(outline.Of(c.abs, whole.text), got.first, whole.total)
		}
	}
	text := ""
	if len(list) > 0 {
		text = belowStart + "10000-20000" + howToRead + render(list, limit)
	}
	if room > 0 {
		got.fit(max(1, room-headerTokens-llm.EstimateTokens([]llm.Part{{Text: text}})))
	}
	if list = between(list, got.last+1, maxLine); len(list) == 0 {
		return ""
	}
	return fmt.Sprintf("%s%d-%d%s%s", belowStart, got.last+1, got.total, howToRead, render(list, limit))
}

// belowStart begins the outline below a part of a file.
const belowStart = "\n\n" + outlineStart + "lines "

// between returns the declarations from line first to line last.
func between(list []outline.Line, first, last int) []outline.Line {
	for len(list) > 0 && list[0].Number < first {
		list = list[1:]
	}
	for len(list) > 0 && list[len(list)-1].Number > last {
		list = list[:len(list)-1]
	}
	return list
}

// render returns an outline of at most about the given number of tokens. If it is longer, it has
// no inner declarations, as far as necessary, and then no last ones; its last line names these.
func render(list []outline.Line, tokens int) string {
	rows, sizes := make([]string, len(list)), make([]int, len(list))
	var ofLevel []int // tokens
	for i, l := range list {
		rows[i] = fmt.Sprintf("%d: %s%s\n", l.Number, strings.Repeat("  ", min(l.Level, 10)), l.Text)
		sizes[i] = llm.EstimateTokens([]llm.Part{{Text: rows[i]}}) + 1 // its estimate is rounded
		for len(ofLevel) <= l.Level {
			ofLevel = append(ofLevel, 0)
		}
		ofLevel[l.Level] += sizes[i]
	}
	depth, total := 0, 0
	for depth < len(ofLevel) && (total == 0 || total+ofLevel[depth] <= tokens) {
		total += ofLevel[depth]
		depth++
	}
	var b strings.Builder
	hidden, used := 0, 0
	for i, l := range list {
		if l.Level >= depth {
			hidden++
			continue
		}
		if used += sizes[i]; used > tokens && b.Len() > 0 {
			fmt.Fprintf(&b, "More declarations from line %d on: outline: true with start_line: %d lists them.", l.Number, l.Number)
			return b.String()
		}
		b.WriteString(rows[i])
	}
	if hidden > 0 {
		fmt.Fprintf(&b, "Left out: %s in these.", plural(hidden, "inner declaration"))
	}
	return strings.TrimSuffix(b.String(), "\n")
}
