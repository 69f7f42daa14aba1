package agent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"pollux/llm"
	"pollux/tool"
)

// responseParts turns a finished call into what the model gets of it
// (spec/tools.md §6): one function response, and the media that belongs to it,
// inside the response where the model can take it there, beside it where not.
func responseParts(call *ToolCall, kind tool.Kind, res *tool.Result, nest bool) []llm.Part {
	if res.Error != nil {
		return []llm.Part{{FunctionResponse: llm.Failure(call.ID, call.Name, res.Error.Message)}}
	}
	var texts []string
	said := false // a text, if an empty one
	var inside, beside []llm.Part
	var heard, dropped []string // MIME types of sound and film
	for _, p := range res.Content {
		switch {
		case p.FunctionResponse != nil:
			r := *p.FunctionResponse
			r.ID, r.Name = call.ID, call.Name
			return []llm.Part{{FunctionResponse: &r}}
		case p.FileData != nil:
			beside = append(beside, p)
		case p.InlineData != nil && isAudioVisual(p.InlineData.MIMEType):
			// Only a tool that was asked to read a file brings sound and film;
			// from any other it is a protocol's leftover.
			if kind == tool.KindRead {
				heard = append(heard, p.InlineData.MIMEType)
				beside = append(beside, p)
			} else {
				dropped = append(dropped, p.InlineData.MIMEType)
			}
		case p.InlineData != nil && nest:
			inside = append(inside, p)
		case p.InlineData != nil:
			beside = append(beside, p)
		case p.IsText() || p.Text != "":
			said = true
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
	case len(heard) > 0 && text == "":
		text = fmt.Sprintf("Binary content (%s) read successfully. Content will be injected for analysis in the next sequence.",
			strings.Join(heard, ", "))
	case len(inside)+len(beside) > 0 && text == "":
		text = fmt.Sprintf("Binary content provided (%d item(s)).", len(inside)+len(beside))
	}
	r := llm.Output(call.ID, call.Name, text)
	if text == "" && !said {
		r.Response = []byte("{}")
	}
	r.Parts = inside
	return append([]llm.Part{{FunctionResponse: r}}, beside...)
}

func isAudioVisual(mime string) bool {
	return strings.HasPrefix(mime, "audio/") || strings.HasPrefix(mime, "video/")
}

// cancelledParts is what the model gets of a call that did not run to its end:
// why, and what there was so far.
func cancelledParts(call *ToolCall, res *tool.Result, reason string) []llm.Part {
	message := "[Operation Cancelled] Reason: " + reason
	var output string
	if res != nil && res.Error == nil {
		output = llm.PartsText(res.Content)
	}
	r := llm.Failure(call.ID, call.Name, message)
	if output != "" {
		b := append([]byte(`{"output":`), llm.AppendString(nil, output)...)
		b = append(b, `,"error":`...)
		r.Response = append(llm.AppendString(b, message), '}')
	}
	return []llm.Part{{FunctionResponse: r}}
}

// waitsForPrevious reports whether the model asked for this call to run after
// those before it, an argument that any call may carry.
func waitsForPrevious(args []byte) bool {
	if !bytes.Contains(args, []byte("wait_for_previous")) {
		return false
	}
	var a struct {
		Wait any `json:"wait_for_previous"`
	}
	return json.Unmarshal(args, &a) == nil && a.Wait == true
}
