package transcript

import (
	"slices"

	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/window"
)

// marks is the state of the marks with which terminals jump from prompt to prompt.
type marks struct {
	isOpen bool // the end of an answer has no mark yet
	code   int  // exit code of the answer, as a command's
}

// Exit codes of answers.
const (
	failedCode    = 1
	cancelledCode = 130
)

// marked returns the lines of a prompt between the marks of its beginning and of its answer.
func (t *Transcript) marked(lines []styled.Line) []styled.Line {
	if !t.Look.HasMarks {
		return lines
	}
	t.markEnd()
	t.marks = marks{isOpen: true}
	begin := styled.Object{Control: window.PromptStart + window.InputStart}.Line()
	return slices.Concat([]styled.Line{begin}, lines, []styled.Line{styled.Object{Control: window.OutputStart}.Line()})
}

// markEnd marks the end of the last answer, unless it has a mark.
func (t *Transcript) markEnd() {
	if !t.marks.isOpen {
		return
	}
	it := &item{isTight: true}
	t.queue = append(t.queue, it)
	t.put(it, []styled.Line{styled.Object{Control: window.OutputEnd(t.marks.code)}.Line()})
	t.marks = marks{}
}
