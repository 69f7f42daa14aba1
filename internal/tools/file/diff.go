package file

import (
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff"

	"pollux/tool"
)

// diffLabels are the labels of the two sides of a diff.
type diffLabels struct{ old, new string }

var (
	proposedLabels = diffLabels{"Current", "Proposed"}
	writtenLabels  = diffLabels{"Original", "Written"}
)

// revision is a change to a file, for users and models.
type revision struct {
	path          string
	before, after *document
	// formatted is the version that an editor has saved in place of after, nil if it has saved that.
	formatted *document
	// proposed is the model's version if the user changed it, else nil.
	proposed *string
	newDirs  int // number of directories that were made for the file
}

// display returns the change for the user, and its number of lines.
func (r *revision) display(labels diffLabels) (*tool.DiffDisplay, tool.LineChange) {
	before, after := validText([]byte(r.before.text)), validText([]byte(r.now().text))
	name := filepath.Base(r.path)
	if enc := r.before.encodingName(); enc != "" {
		labels.old += " (" + enc + ")"
	}
	hunks := diffHunks(before, after, 3)
	whole := countHunks(hunks)
	d := &tool.DiffDisplay{
		Diff:     unified(name, labels, hunks),
		FileName: name,
		FilePath: r.path,
		After:    after,
		NewDirs:  r.newDirs,
	}
	if r.before.exists {
		d.Before = &before
	}
	model, user := whole, counts{}
	if r.proposed != nil {
		model = countHunks(diffHunks(before, *r.proposed, 0))
		user = countHunks(diffHunks(*r.proposed, after, 0))
	}
	d.Stat = tool.DiffStat{
		ModelAddedLines: model.added, ModelRemovedLines: model.removed,
		ModelAddedChars: model.addedChars, ModelRemovedChars: model.removedChars,
		UserAddedLines: user.added, UserRemovedLines: user.removed,
		UserAddedChars: user.addedChars, UserRemovedChars: user.removedChars,
	}
	return d, tool.LineChange{Added: whole.added, Removed: whole.removed}
}

// Limits of a difference for the model.
const (
	maxReviewLines = 120
	maxReviewBytes = 8000
)

// review returns the difference between the proposed and the written text, for the model. It is
// empty if there is none.
func (r *revision) review(proposed string) string {
	proposed, written := validText([]byte(lf(proposed))), validText([]byte(r.after.text))
	text := unified(filepath.Base(r.path), diffLabels{"Your version", "Written"}, diffHunks(proposed, written, 3))
	_, text, _ = strings.Cut(text, strings.Repeat("=", 67)+"\n")
	return firstOf(text, maxReviewLines, maxReviewBytes)
}

// firstOf returns the first lines of a difference, within these limits, and how many there are more.
func firstOf(text string, maxLines, maxBytes int) string {
	lines := strings.SplitAfter(text, "\n")
	size, n := 0, 0
	for n < len(lines) && n < maxLines && size+len(lines[n]) <= maxBytes {
		size += len(lines[n])
		n++
	}
	if n < len(lines) && lines[n] != "" {
		return text[:size] + fmt.Sprintf("... (%d more lines: read the file to see the rest)", len(lines)-n)
	}
	return strings.TrimSuffix(text, "\n")
}

func (r *revision) lineCount() string { return plural(len(splitLines(r.after.text)), "line") }

// plural returns "1 line" or "12 lines".
func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// diffHunks returns the differences between two texts with context lines around them. It skips
// the common beginning and end, which is most of a large file.
func diffHunks(before, after string, context int) []*udiff.Hunk {
	if before == after {
		return nil
	}
	start := lastLines(before[:commonPrefix(before, after)], context)
	skipped := strings.Count(before[:start], "\n")
	before, after = before[start:], after[start:]
	end := firstLines(before[len(before)-commonSuffix(before, after):], context)
	before, after = before[:len(before)-end], after[:len(after)-end]
	if strings.Count(before, "\n")+strings.Count(after, "\n") > maxLines {
		// Comparing them would take a hundred times their size.
		return []*udiff.Hunk{{FromLine: skipped + 1, ToLine: skipped + 1, Lines: []udiff.Line{
			{Kind: udiff.Delete, Content: before}, {Kind: udiff.Insert, Content: after},
		}}}
	}
	d, err := udiff.ToUnifiedDiff("", "", before, udiff.Lines(before, after), context)
	if err != nil {
		return nil // impossible for edits made by Lines
	}
	more := 0 // lines that the hunks before have added
	for _, h := range d.Hunks {
		h.FromLine += skipped
		h.ToLine = h.FromLine + more // udiff does not count the lines between the changes of a hunk
		from, to := hunkSize(h)
		more += to - from
	}
	return d.Hunks
}

// hunkSize returns the number of lines of a hunk in both texts.
func hunkSize(h *udiff.Hunk) (from, to int) {
	for _, l := range h.Lines {
		n := max(1, strings.Count(l.Content, "\n")) // several if there were too many to compare
		if l.Kind != udiff.Insert {
			from += n
		}
		if l.Kind != udiff.Delete {
			to += n
		}
	}
	return from, to
}

func commonPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

func commonSuffix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}

// lastLines returns the offset of the last n complete lines of text.
func lastLines(text string, n int) int {
	end := strings.LastIndexByte(text, '\n')
	for ; end >= 0 && n > 0; n-- {
		end = strings.LastIndexByte(text[:end], '\n')
	}
	return end + 1
}

// firstLines returns the size of the text after its first n complete lines; an incomplete line
// at the beginning does not count.
func firstLines(text string, n int) int {
	for ; n >= 0; n-- {
		end := strings.IndexByte(text, '\n')
		if end < 0 {
			return 0
		}
		text = text[end+1:]
	}
	return len(text)
}

// unified returns hunks as a patch in the format of jsdiff's createPatch.
func unified(name string, labels diffLabels, hunks []*udiff.Hunk) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Index: %s\n%s\n--- %s\t%s\n+++ %s\t%s\n", name, strings.Repeat("=", 67), name, labels.old, name, labels.new)
	for _, h := range hunks {
		from, to := hunkSize(h)
		fmt.Fprintf(&b, "@@ -%s +%s @@\n", hunkRange(h.FromLine, from), hunkRange(h.ToLine, to))
		for _, l := range h.Lines {
			writeLines(&b, map[udiff.OpKind]string{udiff.Delete: "-", udiff.Insert: "+", udiff.Equal: " "}[l.Kind], l.Content)
		}
	}
	return b.String()
}

// hunkRange returns the range of a hunk's lines for its header. A range without lines begins
// after the line it names.
func hunkRange(first, n int) string {
	switch n {
	case 0:
		return fmt.Sprintf("%d,0", first-1)
	case 1:
		return fmt.Sprint(first)
	}
	return fmt.Sprintf("%d,%d", first, n)
}

func writeLines(b *strings.Builder, prefix, content string) {
	for line := range strings.Lines(content) {
		b.WriteString(prefix + line)
	}
	if !strings.HasSuffix(content, "\n") {
		b.WriteString("\n\\ No newline at end of file\n")
	}
}

// counts are numbers of lines and of characters in them.
type counts struct{ added, removed, addedChars, removedChars int }

func countHunks(hunks []*udiff.Hunk) (c counts) {
	for _, h := range hunks {
		for _, l := range h.Lines {
			chars := utf8.RuneCountInString(strings.TrimSuffix(l.Content, "\n"))
			lines := max(1, strings.Count(l.Content, "\n")) // several if there were too many to compare
			switch l.Kind {
			case udiff.Insert:
				c.added += lines
				c.addedChars += chars
			case udiff.Delete:
				c.removed += lines
				c.removedChars += chars
			}
		}
	}
	return c
}

func changeSummary(l tool.LineChange) string {
	return fmt.Sprintf("%d added, %d removed", l.Added, l.Removed)
}
