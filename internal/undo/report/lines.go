package report

import (
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// maxCompared is the number of lines of two texts, without their common beginning and end, up to which they are compared:
// to compare more takes long. Then all of them count as changed.
const maxCompared = 20_000

// countLines returns the numbers of lines that a change of a text has added and removed.
func countLines(before, after string) (added, removed int) {
	before, after = trimCommon(before, after)
	if before == "" || after == "" || lines(before)+lines(after) > maxCompared {
		return lines(after), lines(before)
	}
	d, err := udiff.ToUnifiedDiff("", "", before, udiff.Lines(before, after), 0)
	if err != nil { // impossible for edits made by Lines
		return lines(after), lines(before)
	}
	for _, h := range d.Hunks {
		for _, l := range h.Lines {
			switch l.Kind {
			case udiff.Insert:
				added++
			case udiff.Delete:
				removed++
			}
		}
	}
	return added, removed
}

// lines returns the number of lines of a text, the last of which may lack its end.
func lines(text string) int {
	n := strings.Count(text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		n++
	}
	return n
}

// trimCommon removes the lines at the beginning and at the end that two texts have in common.
func trimCommon(a, b string) (string, string) {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	if n < len(a) || n < len(b) {
		n = strings.LastIndexByte(a[:n], '\n') + 1
	}
	a, b = a[n:], b[n:]
	n = 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	end := a[len(a)-n:]
	i := strings.IndexByte(end, '\n')
	if i < 0 {
		return a, b
	}
	cut := len(end) - i - 1
	return a[:len(a)-cut], b[:len(b)-cut]
}
