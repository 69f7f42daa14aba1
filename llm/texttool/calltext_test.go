package texttool_test

import (
	"errors"
	"strings"
	"testing"

	"pollux/llm"
	"pollux/llm/llmtest"
	"pollux/llm/texttool"
)

// TestDropText checks that the text of an answer with calls is left out, and no other text.
func TestDropText(t *testing.T) {
	t.Parallel()
	thought := &llm.Response{Candidates: []llm.Candidate{{Content: llm.Model(llm.Part{Text: "Hm.", Thought: true})}}}
	for name, tt := range map[string]struct {
		answer []*llm.Response
		err    error
		text   string
		calls  int
	}{
		"before the call": {answer: says(llm.FinishStop, "I look ", "now.\n\n", call), calls: 1},
		"after a thought": {answer: append([]*llm.Response{thought}, says(llm.FinishStop, "I look now.\n\n", call)...), calls: 1},
		"no call":         {answer: says(llm.FinishStop, "Plain ", "text."), text: "Plain text."},
		"no answer":       {answer: says(llm.FinishStop, "")},
		"cut off":         {answer: says("", "Half a "), text: "Half a "},
		"broken off":      {answer: says("", "Half a ", "word"), err: errors.New("gone"), text: "Half a word"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := &model{answers: [][]*llm.Response{tt.answer}, err: tt.err}
			var a llmtest.Answer
			thoughts := ""
			for chunk, err := range wrap(m, texttool.Options{DropText: true}).Stream(t.Context(), request()) {
				if err != nil {
					if !errors.Is(err, tt.err) {
						t.Fatal(err)
					}
					continue
				}
				a.Add(chunk)
				for _, p := range chunk.Parts() {
					if p.Thought {
						thoughts += p.Text
					}
				}
			}
			if a.Text != tt.text || len(a.Calls) != tt.calls || strings.Contains(name, "thought") != (thoughts == "Hm.") {
				t.Errorf("text %q, %d calls, thoughts %q", a.Text, len(a.Calls), thoughts)
			}
			if tt.err != nil {
				return
			}
			m.answers = [][]*llm.Response{tt.answer}
			r, err := wrap(m, texttool.Options{DropText: true}).Generate(t.Context(), request())
			if err != nil || r.Text() != tt.text || len(r.Candidates[0].Content.FunctionCalls()) != tt.calls {
				t.Errorf("%s, %v", r.AppendJSON(nil), err)
			}
		})
	}
}

// TestInMessage checks that the tools can be described in the first message, the same one for all requests.
func TestInMessage(t *testing.T) {
	t.Parallel()
	m := &model{answers: [][]*llm.Response{says(llm.FinishStop, "One."), says(llm.FinishStop, "Two.")}}
	g := wrap(m, texttool.Options{InMessage: true})
	for range 2 {
		if _, err := g.Generate(t.Context(), request()); err != nil {
			t.Fatal(err)
		}
	}
	first, own := m.asked[0], request()
	if len(first.Contents) != len(own.Contents)+1 || first.Contents[0].Role != llm.RoleUser || !strings.Contains(first.Contents[0].Text(), "**read_file**") {
		t.Errorf("the first message is %q", first.Contents[0].Text())
	}
	if got, want := first.Config.SystemInstruction.Text(), own.Config.SystemInstruction.Text(); got != want {
		t.Errorf("the instruction is %q, want %q", got, want)
	}
	if m.asked[1].Contents[0] != first.Contents[0] {
		t.Error("the second request has another message")
	}
}
