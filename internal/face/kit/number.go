package kit

import (
	"slices"

	"pollux/tool"
)

// The order of the answers to a call in Gemini CLI, by the kind of the question.
var (
	callAnswers   = []tool.Outcome{tool.ProceedOnce, tool.ProceedAlways, tool.ProceedAlwaysAndSave, tool.Cancel}
	editAnswers   = []tool.Outcome{tool.ProceedOnce, tool.ProceedAlways, tool.ProceedAlwaysAndSave, tool.ModifyWithEditor, tool.Cancel}
	remoteAnswers = []tool.Outcome{tool.ProceedOnce, tool.ProceedAlwaysTool, tool.ProceedAlwaysServer, tool.ProceedAlwaysAndSave, tool.Cancel}
)

// setNumbers sets [Option.Number] of the options of a call. An answer that is not offered leaves its number unused.
func setNumbers(options []Option, details tool.Confirmation) {
	answers := callAnswers
	switch details.(type) {
	case *tool.EditConfirmation:
		answers = editAnswers
	case *tool.RemoteConfirmation:
		answers = remoteAnswers
	}
	numbers := make([]int, len(options))
	at := 0
	for i, o := range options {
		next := slices.Index(answers[at:], o.answer.Outcome)
		if next < 0 {
			return // an answer without a place in the order
		}
		at += next + 1
		numbers[i] = at
	}
	for i, n := range numbers {
		options[i].Number = n
	}
}
