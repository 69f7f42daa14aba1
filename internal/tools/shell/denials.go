package shell

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// denialFolder shortens runs of lines for the model by which a program says of one path after the other that it may not
// look at it: find in directories of others, or fuser in the sandbox.
type denialFolder struct {
	shape string // of the lines of the run, "" for other lines
	count int
}

// maxDenials is the number of lines that remain of a run.
const maxDenials = 20

// refusals are the reasons in such lines.
var refusals = [][]byte{[]byte("Permission denied"), []byte("Operation not permitted")}

// fold returns whole lines without those that are too many. The result may share memory with them.
func (f *denialFolder) fold(lines []byte) []byte {
	refuses := func(reason []byte) bool { return bytes.Contains(lines, reason) }
	if f.count == 0 && !slices.ContainsFunc(refusals, refuses) {
		return lines
	}
	var kept []byte
	for line := range bytes.Lines(lines) {
		shape := denialShape(line)
		if shape != f.shape {
			kept = append(kept, f.end()...)
		}
		if f.shape = shape; shape != "" {
			f.count++
		}
		if f.count <= maxDenials {
			kept = append(kept, line...)
		}
	}
	return kept
}

// end ends a run, and returns the line about those that were left out, "" if there are none.
func (f *denialFolder) end() string {
	more := f.count - maxDenials
	*f = denialFolder{}
	if more <= 0 {
		return ""
	}
	return fmt.Sprintf("... [%d more lines such as the last one] ...\n", more)
}

// foldDenials shortens the runs in a text.
func foldDenials(text string) string {
	var f denialFolder
	kept := string(f.fold([]byte(text)))
	return kept + strings.TrimSuffix(f.end(), "\n")
}

// denialShape returns a line without its path, "" if it does not say of a path that the program may not look at it.
func denialShape(line []byte) string {
	const longest = 1000
	line = bytes.TrimRight(line, whiteSpace)
	start, end := bytes.IndexByte(line, '/'), bytes.LastIndex(line, []byte(": "))
	if len(line) > longest || start < 0 || end < start {
		return ""
	}
	reason := line[end+len(": "):]
	if !slices.ContainsFunc(refusals, func(r []byte) bool { return bytes.Equal(r, reason) }) {
		return ""
	}
	return string(line[:start]) + "/" + string(reason)
}
