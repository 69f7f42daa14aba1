package footer

import (
	"slices"
	"strings"

	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/theme"
	"pollux/internal/wording"
)

// column is an item with its text.
type column struct {
	id, label string
	line      styled.Line
}

func (c column) width(showsLabel bool) int {
	w := c.line.Width()
	if showsLabel {
		w = max(w, styled.Plain(c.label).Width())
	}
	return w
}

const (
	minPath = 20 // the smallest number of columns for the workspace
	gap     = 3  // columns between items
)

// Lines returns the footer in width columns: a line, or two with labels. Items that do not fit are left out from the
// right, with "…" in their place.
func Lines(v Values, o Options, width int, t theme.Theme) []styled.Line {
	columns := columnsOf(v, o, width, t)
	if len(columns) == 0 || width < 1 {
		return nil
	}
	rest := 0 // columns for "…"
	for len(columns) > 1 && total(columns, o.ShowLabels)+rest > width {
		columns, rest = columns[:len(columns)-1], len(" .")
	}
	for i, c := range columns {
		if c.id == "workspace" {
			room := width - rest - total(columns, o.ShowLabels)
			columns[i].line = showWorkspace(v, max(room+c.width(o.ShowLabels), 1), t)
		}
	}
	var labels, line styled.Line
	for i, c := range columns {
		w := c.width(o.ShowLabels)
		if i > 0 {
			labels, line = append(labels, space(gap)), append(line, separator(o.ShowLabels, t))
		}
		labels = append(labels, styled.Span{Text: c.label, Style: t.Secondary()}, space(w-styled.Plain(c.label).Width()))
		line = append(line, c.line...)
		if o.ShowLabels && i < len(columns)-1 {
			line = append(line, space(w-c.line.Width()))
		}
	}
	if rest > 0 {
		line = append(line, styled.Span{Text: " …", Style: t.Secondary()})
	}
	if o.ShowLabels && hasLabel(columns) {
		return []styled.Line{labels.Cut(width), line.Cut(width)}
	}
	return []styled.Line{line.Cut(width)}
}

// columnsOf returns the items to show. The workspace has its smallest size.
func columnsOf(v Values, o Options, width int, t theme.Theme) (columns []column) {
	if v.Mode != "" {
		columns = append(columns, column{id: "mode", line: styled.Of("["+styled.Text(v.Mode)+"]", t.Accent())})
	}
	all := items()
	for _, id := range o.Items {
		i := slices.IndexFunc(all, func(i item) bool { return i.id == id })
		if i < 0 || slices.ContainsFunc(columns, func(c column) bool { return c.id == id }) {
			continue
		}
		c := column{id: id, label: all[i].label}
		if all[i].show == nil {
			c.line = showWorkspace(v, minPath, t)
		} else {
			c.line = all[i].show(v, t, width)
		}
		if len(c.line) > 0 {
			columns = append(columns, c)
		}
	}
	if e := showErrors(v, t); e != nil {
		columns = append(columns, column{id: "errors", line: e})
	}
	return columns
}

func showErrors(v Values, t theme.Theme) styled.Line {
	if v.Errors <= 0 {
		return nil
	}
	text := "✖ " + wording.Count(v.Errors, "error")
	if v.ErrorKey != "" {
		text += " (" + v.ErrorKey + " for details)"
	}
	return styled.Of(text, t.Error())
}

func showWorkspace(v Values, width int, t theme.Theme) styled.Line {
	path := styled.Text(v.Workspace)
	if path == "" {
		return nil
	}
	const debug = " --debug"
	if !v.IsDebug {
		return styled.Of(shorten(path, width), t.Text())
	}
	return styled.Line{{Text: shorten(path, max(width-len(debug), 1)), Style: t.Text()}, {Text: debug, Style: t.Error()}}
}

// total returns the width of the items with the gaps between them.
func total(columns []column, showsLabels bool) (n int) {
	for i, c := range columns {
		if i > 0 {
			n += gap
		}
		n += c.width(showsLabels)
	}
	return n
}

// separator stands between items: a dot, or space below labels.
func separator(showsLabels bool, t theme.Theme) styled.Span {
	if showsLabels {
		return space(gap)
	}
	return styled.Span{Text: " · ", Style: t.Secondary()}
}

func space(n int) styled.Span { return styled.Span{Text: strings.Repeat(" ", max(n, 0))} }

func hasLabel(columns []column) bool {
	return slices.ContainsFunc(columns, func(c column) bool { return c.label != "" })
}
