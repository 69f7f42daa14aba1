package file

import (
	"fmt"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"pollux/internal/wording"
	"pollux/tool"
)

// newer is how a file differs from what the model of a conversation knows of it.
type newer struct {
	isUnread bool      // the model has not read or written the file
	parts    parts     // the lines that the model has got of this version, nil if it knows another one or none
	isHidden bool      // a rule hides the file from models
	by       string    // the call of the session that has changed the file last, "" if that is not known
	base     *document // the version that the model knows; nil if it is not kept
	now      *document
}

// Limits of the lines of a file that a model gets because it does not know them.
const (
	maxNewLines = 40
	maxNewBytes = 4000
	headLines   = 10
	smallBytes  = 500
)

// notice tells the model that the file has changed, and how.
func (n *newer) notice() string {
	return n.subject("The file", "had") + ". " + n.changes()
}

// subject returns the beginning of a sentence about the change of a file: who has changed it, as far as that is known.
func (n *newer) subject(file, has string) string {
	text := file + " " + has + " changed"
	if n.by != "" {
		text = n.by + " " + has + " changed " + strings.Replace(file, "The", "the", 1)
	}
	return text + " since you last read or wrote it"
}

// after returns the notice as it stands after an error: apart from the lines of the file that the error ends with.
func (n *newer) after(message string) string {
	if strings.Contains(message, "\n") {
		return "\n\n" + n.notice()
	}
	return " " + n.notice()
}

// changes returns the lines that have changed since the version that the model knows, if that is kept.
func (n *newer) changes() string {
	if n.base == nil || n.isHidden {
		return "Read it again to see what has changed."
	}
	hunks := diffHunks(validText([]byte(n.base.text)), validText([]byte(n.now.text)), 1)
	_, text, _ := strings.Cut(unified("", diffLabels{}, hunks), "\n@@ ")
	return "What has changed:\n" + firstOf("@@ "+text, maxNewLines, maxNewBytes)
}

// isSmall reports whether the result of overwriting the file can show all of it.
func (n *newer) isSmall() bool {
	return !n.isHidden && n.now.enc.IsText() && len(n.now.text) <= smallBytes && len(splitLines(n.now.text)) <= headLines
}

// refuse returns the error for overwriting an unread file, of which the model gets the size and the
// first lines unless a rule hides it.
func (n *newer) refuse(abs string) error {
	lines := splitLines(n.now.text)
	text := fmt.Sprintf("%s exists, and you have not read it: it has %s, %s. Nothing was written. "+
		"Repeat this call to replace all of it, or read it first.", abs, plural(len(lines), "line"), wording.Bytes(int64(len(n.now.data))))
	if n.isHidden || !n.now.enc.IsText() {
		return fail(tool.ErrFileWrite, "%s", text)
	}
	text += " It begins:"
	for _, l := range lines[:min(len(lines), headLines)] {
		text += "\n" + partAround(validText([]byte(n.now.text[l.start:l.end])), 0)
	}
	return fail(tool.ErrFileWrite, "%s", text)
}

// refusePart returns the error for overwriting a file of which the model has got only parts.
func (n *newer) refusePart(abs, content string) error {
	return fail(tool.ErrFileWrite, "%s has %s, and you have read %s. This content of %s would replace all of it, so nothing was written. "+
		"Change parts of the file with replace, or read the rest first; repeat this call to replace all of it.",
		abs, plural(len(splitLines(n.now.text)), "line"), n.parts, plural(len(splitLines(content)), "line"))
}

// merge returns content, which the model wrote for the version that it knows, with what has changed in the
// file since. ok is false if both change the same or adjacent lines, or if that version is not kept.
func (n *newer) merge(content string) (merged string, ok bool) {
	if n.base == nil {
		return "", false
	}
	theirs, ours := udiff.Lines(n.base.text, n.now.text), udiff.Lines(n.base.text, content)
	for _, x := range theirs {
		if slices.ContainsFunc(ours, func(y udiff.Edit) bool { return x != y && x.Start <= y.End && y.Start <= x.End }) {
			return "", false
		}
	}
	edits, ok := udiff.Merge(theirs, ours)
	if !ok {
		return "", false
	}
	merged, err := udiff.Apply(n.base.text, edits)
	return merged, err == nil
}
