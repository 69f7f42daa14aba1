package agent

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"pollux/llm"
	"pollux/llm/ellipsis"
	"pollux/tool"
)

// responseParts returns the parts of a finished call for the model: a function response, and the
// media of the result. The media are inside of the response if nest is set, which requires
// support by the model, and otherwise follow it.
func responseParts(call *ToolCall, kind tool.Kind, res *tool.Result, nest bool) []llm.Part {
	if res.Error != nil {
		return []llm.Part{{FunctionResponse: llm.Failure(call.ID, call.Name, res.Error.Message)}}
	}
	var texts []string
	hasText := false // the result has a text, possibly empty
	var inside, beside []llm.Part
	var audioVisual, dropped []string // MIME types of audio and video
	for _, p := range res.Content {
		switch {
		case p.FunctionResponse != nil:
			r := *p.FunctionResponse
			r.ID, r.Name = call.ID, call.Name
			return []llm.Part{{FunctionResponse: &r}}
		case p.FileData != nil:
			beside = append(beside, p)
		case p.InlineData != nil && isAudioVisual(p.InlineData.MIMEType):
			// Only tools that read files return audio and video for the model.
			if kind == tool.KindRead {
				audioVisual = append(audioVisual, p.InlineData.MIMEType)
				beside = append(beside, p)
			} else {
				dropped = append(dropped, p.InlineData.MIMEType)
			}
		case p.InlineData != nil && nest:
			inside = append(inside, p)
		case p.InlineData != nil:
			beside = append(beside, p)
		case p.IsText() || p.Text != "":
			hasText = true
			if p.Text != "" {
				texts = append(texts, p.Text)
			}
		}
	}
	text := strings.Join(texts, "\n")
	switch {
	case len(dropped) > 0:
		notice := fmt.Sprintf("[SYSTEM: Binary content (%s) stripped from response due to protocol limitations.]",
			strings.Join(dropped, ", "))
		text = strings.Join(append([]string{notice}, texts...), "\n")
	case len(audioVisual) > 0 && text == "":
		text = fmt.Sprintf("Binary content (%s) read successfully. Content will be injected for analysis in the next sequence.",
			strings.Join(audioVisual, ", "))
	case len(inside)+len(beside) > 0 && text == "":
		text = fmt.Sprintf("Binary content provided (%d item(s)).", len(inside)+len(beside))
	}
	r := llm.Output(call.ID, call.Name, text)
	if text == "" && !hasText {
		r.Response = []byte("{}")
	}
	r.Parts = inside
	return append([]llm.Part{{FunctionResponse: r}}, beside...)
}

func isAudioVisual(mime string) bool {
	return strings.HasPrefix(mime, "audio/") || strings.HasPrefix(mime, "video/")
}

// cancellation is why a call did not complete.
type cancellation struct {
	text   string // the result for the model
	reason string // a sentence for people, "" if they know or there is none
}

// The cancellations of calls by the end of the run, by the end of the process and by the refusal of another call.
var (
	beforeBegin = cancellation{
		"[Operation Cancelled] Reason: Operation cancelled. This call had not begun: it was not run.",
		"Not run, because the request was cancelled before.",
	}
	inQuestion   = cancellation{text: beforeBegin.text}
	whileRunning = cancellation{
		text: "[Operation Cancelled] Reason: User cancelled tool execution. This call had begun: it may have had some of its effects. Check before you repeat it.",
	}
	atEnd = cancellation{
		NotBegun,
		"Not run, because Pollux ended before.",
	}
	afterRefusal = cancellation{
		"Not run, because the user refused a call before it. Call it again if it is still needed.",
		"Not run, because a call before it was refused.",
	}
	incomplete = cancellation{
		"Not run: your reply was cut off, and other parts of this change are missing.",
		"Not run, because other parts of the change are missing.",
	}
)

// The results for the model of calls that the end of the process has interrupted.
const (
	CutOff   = "Interrupted: Pollux ended before this call did. It was cut off and may have had some of its effects: look at what it changed before you repeat it."
	NotBegun = "Interrupted: Pollux ended before this call began. It was not run."
)

// cancelledText is the result of a call of an earlier process, which may have begun it.
const cancelledText = "[Operation Cancelled] Reason: Operation cancelled"

// afterFailedEdit returns the cancellation of a command that did not run because an edit before it failed.
func afterFailedEdit(edit *job) cancellation {
	reason := "Not run, because " + edit.describe() + " before it failed."
	return cancellation{reason + " Call it again if it does not need that change, or once the change is made.", reason}
}

// afterFailedPart returns the cancellation of a part of a change that did not run because another part did not run or
// has failed. isBegun reports that other parts were made before.
func afterFailedPart(failed *job, isBegun bool) cancellation {
	reason := "Not run, because " + failed.describe() + " is part of the same change and was not made."
	if isBegun {
		return cancellation{reason + " The parts before it were made: send the others again.", reason}
	}
	return cancellation{reason + " No part was. Send all parts again.", reason}
}

// describe returns "the edit of main.go", or "the command rm main.go".
func (j *job) describe() string {
	var a struct {
		FilePath string `json:"file_path"`
		Path     string `json:"path"` // a usual mistake
		Command  string `json:"command"`
	}
	_ = json.Unmarshal(j.call.Args, &a) // without them it is just "the edit"
	switch {
	case j.kind() == tool.KindExecute && a.Command != "":
		return "the command " + ellipsis.Bytes(a.Command, 100)
	case a.FilePath+a.Path != "":
		return "the edit of " + cmp.Or(a.FilePath, a.Path)
	}
	return "the edit"
}

// refusedText returns the result, for the model, of a call that a person refused. The content of
// refusal, if it has one, is the person's feedback; its error is another reason.
func refusedText(refusal *tool.Result) string {
	const refused = "The user refused this call, and it was not run. "
	switch {
	case refusal == nil:
	case refusal.Error != nil:
		return refusal.Error.Message
	default:
		if feedback := strings.TrimSpace(llm.PartsText(refusal.Content)); feedback != "" {
			return refused + "Do what they say instead: " + feedback
		}
	}
	return refused + "Do not repeat it: go on another way, or ask what they prefer."
}

// cancelledParts returns the result, for the model, of a call that did not complete: message, and
// the output so far.
func cancelledParts(call *ToolCall, output, message string) []llm.Part {
	r := llm.Failure(call.ID, call.Name, message)
	if output != "" {
		b := append([]byte(`{"output":`), llm.AppendString(nil, output)...)
		b = append(b, `,"error":`...)
		r.Response = append(llm.AppendString(b, message), '}')
	}
	return []llm.Part{{FunctionResponse: r}}
}
