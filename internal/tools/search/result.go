package search

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"pollux/tool"
)

const (
	// maxShown limits the shown part of a line, in characters.
	maxShown = 2000
	// maxText limits the text of a result, in bytes.
	maxText = 4 << 20
)

// result returns the tool result for the files with hits.
func (c *grepCall) result(ctx context.Context, files []fileHits) *tool.Result {
	matches := 0
	for _, f := range files {
		matches += len(f.hits)
	}
	if matches == 0 {
		return c.noMatches(c.query.leftOut(ctx).note())
	}
	where := c.scope()
	limited := ""
	if matches >= c.query.maxTotal {
		where += fmt.Sprintf(" (results limited to %d matches for performance)", c.query.maxTotal)
		limited = " (limited)"
	}
	if c.args.NamesOnly {
		return c.namesResult(files, where, limited)
	}
	before, after := c.before, c.after
	if matches <= 3 && c.args.Context == nil && c.args.Before == nil && c.args.After == nil {
		before = 15
		if matches == 1 {
			before = 50
		}
		after = before
	}
	term := "matches"
	if matches == 1 {
		term = "match"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Found %d %s for pattern \"%s\" %s:\n---\n", matches, term, c.args.Pattern, where)
	display := &tool.MatchDisplay{Summary: fmt.Sprintf("Found %d %s%s", matches, term, limited)}
	s := &scanner{open: c.query.w.Disk().Stream}
	for _, f := range files {
		fmt.Fprintf(&b, "File: %s\n", c.displayPath(f.path))
		for _, l := range s.withContext(ctx, f, before, after) {
			sign := ":"
			if l.context {
				sign = "-"
			} else {
				display.Matches = append(display.Matches, tool.Match{Path: f.path, Line: l.line, Text: l.text})
			}
			if b.Len() < maxText {
				fmt.Fprintf(&b, "L%d%s %s\n", l.line, sign, l.text)
			}
		}
		b.WriteString("---\n")
	}
	return &tool.Result{
		Content: tool.Text(strings.TrimSpace(b.String())).Content,
		Display: display,
		Summary: display.Summary,
	}
}

// noMatches returns the tool result without matches. note is a sentence about what was not
// searched, with a space before it, or "".
func (c *grepCall) noMatches(note string) *tool.Result {
	text := fmt.Sprintf("No matches found for pattern \"%s\" %s.", c.args.Pattern, c.scope()) + note
	return &tool.Result{Content: tool.Text(text).Content, Display: tool.TextDisplay("No matches found"), Summary: "No matches found"}
}

// scope describes the searched files with the arguments of the call.
func (c *grepCall) scope() string {
	where := fmt.Sprintf("in path %q", ".")
	if c.args.DirPath != "" {
		where = `in path "` + c.args.DirPath + `"`
	}
	if c.args.IncludePattern != "" {
		where += ` (filter: "` + c.args.IncludePattern + `")`
	}
	return where
}

// namesResult returns the tool result with only the names of the files.
func (c *grepCall) namesResult(files []fileHits, where, limited string) *tool.Result {
	paths := make([]string, len(files)) // files are sorted, and so are their relative paths
	for i, f := range files {
		paths[i] = c.displayPath(f.path)
	}
	summary := fmt.Sprintf("Found %d files%s", len(paths), limited)
	text := fmt.Sprintf("Found %d files with matches for pattern \"%s\" %s:\n%s", len(paths), c.args.Pattern, where, strings.Join(paths, "\n"))
	return &tool.Result{
		Content: tool.Text(text).Content,
		Display: &tool.ListDisplay{Summary: summary, Items: paths},
		Summary: summary,
	}
}

// displayPath returns a path as results show it: relative to the searched directory.
func (c *grepCall) displayPath(path string) string {
	rel, err := filepath.Rel(c.query.dir, path)
	if err != nil {
		rel = path
	}
	return sanitizePath(rel)
}

// resultLine is a line of a result: a match, or context around a match.
type resultLine struct {
	line    int
	text    string
	context bool
}

// withContext returns the hits of a file with the lines before and after each. If the file can
// no longer be read, it returns the hits without context.
func (s *scanner) withContext(ctx context.Context, f fileHits, before, after int) []resultLine {
	lines := make([]resultLine, 0, len(f.hits))
	if before == 0 && after == 0 {
		for _, h := range f.hits {
			lines = append(lines, resultLine{line: h.line, text: cutLine(h.text)})
		}
		return lines
	}
	next := 0 // index of the first hit that is not in lines yet
	size := 0
	err := s.eachChunk(ctx, f.path, func(text []byte, number int) error {
		for ; len(text) > 0; number++ {
			line, rest, _ := bytes.Cut(text, []byte{'\n'})
			text = rest
			for next < len(f.hits) && f.hits[next].line < number {
				next++ // the file has changed since the search
			}
			near := next < len(f.hits) && f.hits[next].line-number <= before
			behind := next > 0 && number-f.hits[next-1].line <= after
			switch {
			case next < len(f.hits) && f.hits[next].line == number:
				lines = append(lines, resultLine{line: number, text: cutLine(f.hits[next].text)})
				next++
			case near || behind:
				l := resultLine{line: number, text: cutLine(lineText(line[:min(len(line), keptLine)])), context: true}
				if size += len(l.text); size < maxText {
					lines = append(lines, l)
				}
			case next == len(f.hits):
				return errEnough
			}
		}
		return nil
	})
	if next < len(f.hits) || (err != nil && len(lines) == 0) {
		return s.withContext(ctx, f, 0, 0)
	}
	return lines
}

// cutLine shortens a line to maxShown characters.
func cutLine(s string) string {
	if len(s) <= maxShown || utf8.RuneCountInString(s) <= maxShown {
		return s
	}
	n := 0
	for i := range s {
		if n == maxShown {
			return s[:i] + "... [truncated]"
		}
		n++
	}
	return s
}
