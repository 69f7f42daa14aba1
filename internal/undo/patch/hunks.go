package patch

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/aymanbagabas/go-udiff/lcs"
)

// around is the number of lines without a change on each side of a change.
const around = 3

// writeHunks writes the differences of two texts, and returns how many lines were added and removed.
func writeHunks(b *bytes.Buffer, before, after string) (added, removed int) {
	x, y := lines(before), lines(after)
	for diffs := lcs.DiffLines(x, y); len(diffs) > 0; {
		n := 1
		for n < len(diffs) && diffs[n].Start-diffs[n-1].End <= 2*around {
			n++
		}
		writeHunk(b, x, y, diffs[:n])
		for _, d := range diffs[:n] {
			added, removed = added+d.ReplEnd-d.ReplStart, removed+d.End-d.Start
		}
		diffs = diffs[n:]
	}
	return added, removed
}

// lines returns the lines of a text, each with its end.
func lines(text string) []string {
	list := strings.SplitAfter(text, "\n")
	if list[len(list)-1] == "" {
		list = list[:len(list)-1]
	}
	return list
}

// writeHunk writes changes that are near one another, with the lines around them.
func writeHunk(b *bytes.Buffer, x, y []string, diffs []lcs.Diff) {
	first, last := diffs[0], diffs[len(diffs)-1]
	start, end := max(first.Start-around, 0), min(last.End+around, len(x))
	newStart, newEnd := first.ReplStart-(first.Start-start), last.ReplEnd+(end-last.End)
	fmt.Fprintf(b, "@@ -%s +%s @@\n", span(start, end), span(newStart, newEnd))
	at := start
	for _, d := range diffs {
		writeLines(b, ' ', x[at:d.Start])
		writeLines(b, '-', x[d.Start:d.End])
		writeLines(b, '+', y[d.ReplStart:d.ReplEnd])
		at = d.End
	}
	writeLines(b, ' ', x[at:end])
}

// span returns the lines from start up to end as the head of a hunk names them.
func span(start, end int) string {
	switch end - start {
	case 0:
		return strconv.Itoa(start) + ",0"
	case 1:
		return strconv.Itoa(start + 1)
	}
	return fmt.Sprintf("%d,%d", start+1, end-start)
}

func writeLines(b *bytes.Buffer, sign byte, lines []string) {
	for _, l := range lines {
		b.WriteByte(sign)
		b.WriteString(l)
		if !strings.HasSuffix(l, "\n") {
			b.WriteString("\n\\ No newline at end of file\n")
		}
	}
}
