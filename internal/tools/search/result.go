package search

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"strings"
	"unicode"

	"pollux/tool"
)

// maxText limits the text of a result, in bytes.
const maxText = 4 << 20

// result returns the tool result with the matches. limit is the number of bytes that its text
// may have, 0 for maxText.
func (c *grepCall) result(ctx context.Context, found *found, limit int) *tool.Result {
	if found.matches == 0 {
		return c.noMatches(c.query.leftOut(ctx).note())
	}
	if limit <= 0 || limit > maxText {
		limit = maxText
	}
	if c.args.NamesOnly {
		return c.namesResult(found, limit)
	}
	r := c.fit(ctx, found, limit)
	display := &tool.MatchDisplay{Summary: "Found " + plural(found.matches, "match", "matches")}
	if r.hidden() > 0 {
		display.Summary += " (limited)"
	}
	for _, f := range found.files {
		for _, h := range f.hits {
			display.Matches = append(display.Matches, tool.Match{Path: f.path, Line: h.line, Text: h.show(maxShown)})
		}
	}
	return &tool.Result{Content: tool.Text(r.text()).Content, Display: display, Summary: display.Summary}
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// autoContext is the number of lines before and after each of up to three matches if the call
// does not set it.
const autoContext = 5

// fit returns the report on the matches that has at most limit bytes, if that is possible.
// First it cuts long lines, then it leaves out lines around the matches, and only then matches.
func (c *grepCall) fit(ctx context.Context, found *found, limit int) *report {
	before, after := c.before, c.after
	a := &c.args
	isPlain := a.Context == nil && a.Before == nil && a.After == nil && a.TotalMaxMatches == nil && a.MaxMatchesPerFile == nil
	if isPlain && found.matches <= 3 {
		before, after = autoContext, autoContext
	}
	r := &report{call: c, found: found, before: before, after: after, width: maxShown}
	if isPlain && r.hidden() > 0 && found.areAlike() {
		r.isAlike = true
		share(found.files, manyAlike)
	}
	for !r.render(ctx, limit) {
		switch {
		case r.width > maxExcerpt:
			r.width = maxExcerpt
		case r.before+r.after > 0:
			// A line has at least five bytes.
			r.before, r.after = min(r.before, limit/5)/2, min(r.after, limit/5)/2
			r.fewer = true
		case r.width > minShown:
			r.width = minShown
		default:
			shown := r.shown()
			if shown <= 1 {
				return r
			}
			r.isCut = true
			share(found.files, min(shown-1, max(1, shown*limit/(r.body.Len()+1))))
		}
	}
	return r
}

// report is the text about a search. It is rendered with less and less until it fits.
type report struct {
	call          *grepCall
	found         *found
	before, after int  // lines around each match
	fewer         bool // than the call wants
	width         int  // maximum number of characters of a line
	isCut         bool // more matches would be too long
	isAlike       bool // most matches are left out because all differ only in numbers
	around        int  // matches that stand among the lines around others
	body          strings.Builder
}

func (r *report) shown() int {
	n := r.around
	for _, f := range r.found.files {
		n += len(f.hits)
	}
	return n
}

// hidden returns the number of matches that were counted, but are not shown.
func (r *report) hidden() int { return r.found.matches - r.shown() }

// render renders the matches, and reports whether they fit into limit bytes. It stops soon
// after that.
func (r *report) render(ctx context.Context, limit int) bool {
	r.body.Reset()
	r.around = 0
	s := r.call.query.newScanner()
	for i, f := range r.found.files {
		if len(f.hits) == 0 {
			continue
		}
		lines := s.withContext(ctx, f, r.before, r.after, limit)
		shown := len(f.hits) + r.call.markMatches(lines, f.count-len(f.hits))
		r.around += shown - len(f.hits)
		r.body.WriteString("File: " + r.call.displayPath(f.path))
		var notes []string
		if shown < f.count {
			notes = append(notes, fmt.Sprintf("%d of %s matches", shown, r.count(i)))
		}
		if f.encoding != "" {
			notes = append(notes, "encoding: "+f.encoding)
		}
		if len(notes) > 0 {
			r.body.WriteString(" (" + strings.Join(notes, ", ") + ")")
		}
		r.body.WriteByte('\n')
		for _, l := range lines {
			sign := ":"
			if l.context {
				sign = "-"
			}
			fmt.Fprintf(&r.body, "L%d%s %s\n", l.line, sign, l.show(r.width))
			if r.body.Len() > limit && r.before+r.after > 0 {
				return false
			}
		}
		r.body.WriteString("---\n")
	}
	return r.body.Len() <= limit
}

// markMatches makes matches of up to n lines of the context that match, and returns how many.
func (c *grepCall) markMatches(lines []resultLine, n int) (marked int) {
	for i := range lines {
		l := &lines[i]
		if marked == n {
			break
		}
		if excluded, err := c.query.exclude.matchesLine([]byte(l.text)); !l.context || err != nil || excluded || !c.query.pattern.finds([]byte(l.text)) {
			continue
		}
		l.context = false
		marked++
	}
	return marked
}

func (r *report) count(i int) string {
	f := &r.found.files[i]
	if f.more {
		return fmt.Sprintf("at least %d", f.count)
	}
	return fmt.Sprint(f.count)
}

func (r *report) text() string {
	atLeast := r.found.atLeast()
	head := "Found " + atLeast + plural(r.found.matches, "match", "matches")
	var notes []string
	if r.hidden() > 0 || atLeast != "" {
		if r.call.query.file == "" {
			head += " in "
			if r.found.stopped {
				head += atLeast
			}
			head += plural(len(r.found.files), "file", "files")
		}
		notes = append(notes, fmt.Sprintf("%d shown", r.shown()))
	}
	if r.fewer && r.before+r.after == 0 {
		notes = append(notes, "without the lines around them, which would be too long")
	} else if r.fewer {
		notes = append(notes, fmt.Sprintf("with only %d lines before and %d after each, as more would be too long", r.before, r.after))
	}
	head += fmt.Sprintf(" for pattern \"%s\" %s", r.call.args.Pattern, r.call.scope()+r.call.caseNote())
	if len(notes) > 0 {
		head += " (" + strings.Join(notes, ", ") + ")"
	}
	return strings.TrimSpace(head + ":\n---\n" + r.body.String() + r.rest())
}

// rest describes omitted matches, and how to see them; "" if everything is shown.
func (r *report) rest() string {
	if r.hidden() == 0 && !r.found.stopped {
		return ""
	}
	var b strings.Builder
	if r.hidden() > 0 {
		fmt.Fprintf(&b, "Not shown: %s%s", r.found.atLeast(), plural(r.hidden(), "match", "matches"))
		var paths, counts []string
		for i, f := range r.found.files {
			if len(f.hits) == 0 {
				paths, counts = append(paths, r.call.displayPath(f.path)), append(counts, r.count(i))
			}
		}
		if len(paths) > 0 {
			fmt.Fprintf(&b, ", among them all in %s", named(paths, counts, "files"))
		}
		b.WriteString(". ")
	}
	if r.isAlike {
		b.WriteString("The first ones differ only in numbers: exclude_pattern can drop lines like them. ")
	}
	if r.found.stopped {
		b.WriteString("The search stopped early: other files may have matches too. ")
	}
	b.WriteString(r.call.advice(!r.isCut))
	return b.String()
}

// advice explains how to get the matches that a result leaves out. canRaise reports whether the
// result may be longer.
func (c *grepCall) advice(canRaise bool) string {
	narrow := "a more precise pattern, exclude_pattern, dir_path or include_pattern"
	if c.query.file != "" {
		narrow = "a more precise pattern or exclude_pattern"
	}
	if canRaise {
		narrow += ", or raise total_max_matches"
	}
	return "To see them, narrow the search with " + narrow + "."
}

// noMatches returns the tool result without matches. note is a sentence about skipped files,
// with a space before it, or "".
func (c *grepCall) noMatches(note string) *tool.Result {
	text := fmt.Sprintf("No matches found for pattern \"%s\" %s.", c.args.Pattern, c.scope()) + note
	const summary = "No matches found"
	return &tool.Result{Content: tool.Text(text).Content, Display: &tool.MatchDisplay{Summary: summary}, Summary: summary}
}

// scope describes the searched files with the arguments of the call.
func (c *grepCall) scope() string {
	where := fmt.Sprintf("in path %q", ".")
	if c.args.DirPath != "" {
		_, reading := c.query.w.ResolveAs(c.args.DirPath)
		where = `in path "` + cmp.Or(reading, c.args.DirPath) + `"`
	}
	if c.args.IncludePattern != "" {
		where += ` (filter: "` + c.args.IncludePattern + `")`
	}
	if c.literal != "" {
		where += " (" + c.literal + ")"
	}
	return where
}

// caseNote says that there may be matches in other case than the pattern has.
func (c *grepCall) caseNote() string {
	if c.literal != "" || c.args.CaseSensitive || !strings.ContainsFunc(c.args.Pattern, unicode.IsUpper) {
		return ""
	}
	return " (ignoring case, unless case_sensitive is true)"
}

// namesResult returns the tool result with only the names of the files.
func (c *grepCall) namesResult(found *found, limit int) *tool.Result {
	paths := make([]string, len(found.files)) // files are sorted, and so are their relative paths
	for i, f := range found.files {
		paths[i] = c.displayPath(f.path)
	}
	count := plural(len(paths), "file", "files")
	if found.stopped {
		count = "at least " + count
	}
	listed := listedPaths(paths, min(len(paths), c.query.maxTotal), limit)
	limited, note, rest := "", "", ""
	if listed < len(paths) || found.stopped {
		limited, note = " (limited)", fmt.Sprintf(" (%d listed)", listed)
		rest = "\n---\n" + notListed(paths[listed:]) + c.advice(listed == c.query.maxTotal)
	}
	summary := "Found " + count + limited
	text := fmt.Sprintf("Found %s with matches for pattern \"%s\" %s%s:\n%s", count, c.args.Pattern, c.scope()+c.caseNote(), note, strings.Join(paths[:listed], "\n"))
	return &tool.Result{
		Content: tool.Text(text + rest).Content,
		Display: &tool.ListDisplay{Summary: summary, Items: paths[:listed]},
		Summary: summary,
	}
}

// listedPaths returns how many of the paths a result lists: at most n, and so many that they
// have at most limit bytes.
func listedPaths(paths []string, n, limit int) int {
	for i, p := range paths[:n] {
		if limit -= len(p) + 1; limit < 0 && i > 0 {
			return i
		}
	}
	return n
}

// notListed returns a sentence about paths that are not listed, with a space after it, or "".
func notListed(paths []string) string {
	if len(paths) == 0 {
		return ""
	}
	return fmt.Sprintf("Not listed: %s, in %s. ", plural(len(paths), "file", "files"), byDirectory(paths))
}

// displayPath returns a path as results show it, so that other tools take it as it is.
func (c *grepCall) displayPath(path string) string { return displayPath(c.query.w, path) }

// resultLine is a line of a result: a match, or context around a match.
type resultLine struct {
	hit
	context bool
}

// withContext returns the hits of a file with the lines before and after each. If the lines of
// the context have more than limit bytes, some are missing. If the file can no longer be read,
// withContext returns the hits without context.
func (s *scanner) withContext(ctx context.Context, f fileHits, before, after, limit int) []resultLine {
	lines := make([]resultLine, 0, len(f.hits))
	if before == 0 && after == 0 {
		for _, h := range f.hits {
			lines = append(lines, resultLine{hit: h})
		}
		return lines
	}
	next := 0 // index of the first hit that is not in lines yet
	size := 0
	err := s.eachChunk(ctx, f.path, func(text []byte, number int) error {
		if s.mustConvert(text) {
			return errConvert
		}
		for ; len(text) > 0; number++ {
			line, rest, _ := bytes.Cut(text, []byte{'\n'})
			text = rest
			for next < len(f.hits) && f.hits[next].line < number {
				next++ // the file has changed since the search
			}
			near := next < len(f.hits) && f.hits[next].line-number <= before && f.hits[next].line != number
			behind := next > 0 && number-f.hits[next-1].line <= after
			isRest := behind && f.hits[next-1].line == number // of a line that was searched in pieces
			switch {
			case next < len(f.hits) && f.hits[next].line == number:
				lines = append(lines, resultLine{hit: f.hits[next]})
				next++
			case (near || behind) && !isRest && size <= limit:
				l := resultLine{hit: newHit(number, line, nil), context: true}
				lines = append(lines, l)
				size += len(l.text)
			case next == len(f.hits) && !behind:
				return errEnough
			}
		}
		return nil
	})
	if next < len(f.hits) || (err != nil && len(lines) == 0) {
		return s.withContext(ctx, f, 0, 0, limit)
	}
	return lines
}
