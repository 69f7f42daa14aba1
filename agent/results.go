package agent

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"pollux/llm"
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

// Results for the model of calls that did not complete.
const (
	cancelledText = "[Operation Cancelled] Reason: Operation cancelled"
	stoppedText   = "[Operation Cancelled] Reason: User cancelled tool execution."
	notBegunText  = "Interrupted: Pollux ended before this call began. It was not run."
	cutOffText    = "Interrupted: Pollux ended before this call did. It may have had some of its effects. Check before you repeat it."
	notRunText    = "Not run, because the user refused a call before it. Call it again if it is still needed."
)

// withoutEditText returns the result, for the model, of a command that did not run because an edit
// before it failed.
func withoutEditText(edit *job) string {
	var a struct {
		FilePath string `json:"file_path"`
		Path     string `json:"path"` // a usual mistake
	}
	of := ""
	if json.Unmarshal(edit.call.Args, &a) == nil && a.FilePath+a.Path != "" {
		of = " of " + cmp.Or(a.FilePath, a.Path)
	}
	return "Not run, because the edit" + of + " before it failed. Call it again after a successful edit."
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

// mustWait reports whether the model requested that this call runs after the calls before it.
// Every call accepts an argument for that.
func mustWait(args []byte) bool {
	if !bytes.Contains(args, []byte("wait_for_previous")) {
		return false
	}
	var a struct {
		Wait any `json:"wait_for_previous"`
	}
	return json.Unmarshal(args, &a) == nil && a.Wait == true
}
