package agent

import (
	"strings"
	"testing"

	"pollux/llm"
)

// TestExceedReply checks the bound of a whole reply, with replies that already have most of their size.
func TestExceedReply(t *testing.T) {
	t.Parallel()
	call := &llm.FunctionCall{Name: "look", Args: []byte(`{"a":1}`)}
	sized := func(n int) llm.Part {
		return llm.Part{FunctionCall: &llm.FunctionCall{Name: "look", Args: []byte(`"` + strings.Repeat("x", n-2) + `"`)}}
	}
	for name, tt := range map[string]struct {
		before reply
		part   llm.Part
		want   bool
		text   string // the result of a call, for the model
	}{
		"text that fits":       {before: reply{size: 1<<30 - 3}, part: llm.Text("abc")},
		"text too long":        {before: reply{size: 1<<30 - 2}, part: llm.Text("abc"), want: true},
		"text and arguments":   {before: reply{size: 1<<30 - 12, argsSize: 10}, part: llm.Text("abc"), want: true},
		"a call that fits":     {before: reply{size: 1<<30 - 7}, part: llm.Part{FunctionCall: call}},
		"a large call":         {part: sized(4 << 20)},
		"large calls that fit": {before: reply{argsSize: 60 << 20}, part: sized(4 << 20)},
		"a call too large": {
			part: sized(4<<20 + 1), want: true,
			text: "Not run. The arguments of this call are larger than 4 MB. It was cut off at this call. " + shorterText,
		},
		"a nested call": {part: llm.Part{FunctionCall: &llm.FunctionCall{Args: []byte(strings.Repeat("[", 500) + strings.Repeat("]", 500))}}},
		"a call nested too deep": {
			part: llm.Part{FunctionCall: &llm.FunctionCall{Args: []byte(strings.Repeat("[", 501) + strings.Repeat("]", 501))}}, want: true,
			text: "Not run. The arguments of this call are nested more than 500 deep. It was cut off at this call. " + shorterText,
		},
		"calls too large": {
			before: reply{argsSize: 60<<20 + 1}, part: sized(4 << 20), want: true,
			text: "Not run. The arguments of the calls in your reply are larger than 64 MB. It was cut off at this call. " + shorterText,
		},
		"a call too long": {
			before: reply{size: 1<<30 - 6}, part: llm.Part{FunctionCall: call}, want: true,
			text: "Not run. Your reply is larger than 1 GB. It was cut off at this call. " + shorterText,
		},
	} {
		t.Run(name, func(t *testing.T) {
			rep, part := &tt.before, tt.part
			if got := rep.exceed(&part); got != tt.want || rep.isFull != tt.want || rep.refusal != tt.text {
				t.Errorf("exceed returns %v, full %v, refusal %q; want %v, %q", got, rep.isFull, rep.refusal, tt.want, tt.text)
			}
			if tt.want && rep.reason != llm.FinishMaxTokens {
				t.Errorf("reason %q", rep.reason)
			}
			if tt.want && part.FunctionCall != nil && string(part.FunctionCall.Args) != "{}" {
				t.Errorf("arguments %s", part.FunctionCall.Args)
			}
		})
	}
	if string(call.Args) != `{"a":1}` {
		t.Errorf("the original call changed: %s", call.Args)
	}
}
