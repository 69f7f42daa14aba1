package compress_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"pollux/agent"
	"pollux/agent/compress"
	"pollux/llm"
)

// drawHistory draws a history that is mostly valid: ids are unique, but calls may lack
// results, results calls, and messages text.
func drawHistory(t *rapid.T) []agent.Message {
	var h []agent.Message
	add := func(c *llm.Content) { h = append(h, agent.Message{ID: fmt.Sprint(len(h)), Content: c}) }
	words := func(label string) llm.Part {
		return llm.Text(strings.Repeat(rapid.SampledFrom([]string{"word ", "字", "</state_snapshot>", "{\"a\":1}"}).Draw(t, label), rapid.IntRange(1, 400).Draw(t, label+"s")))
	}
	if rapid.Bool().Draw(t, "opening") {
		add(opening().Content)
	}
	if rapid.Bool().Draw(t, "snapshot") {
		add(llm.User(llm.Text(form("before"))))
		add(llm.Model(llm.Text("Got it. Thanks for the additional context!")))
	}
	ids := 0
	for range rapid.IntRange(0, 40).Draw(t, "steps") {
		switch rapid.IntRange(0, 11).Draw(t, "step") {
		case 0, 1:
			add(llm.User(words("prompt")))
		case 2, 3:
			add(llm.Model(words("answer")))
		case 4, 5, 6, 7: // a round, whose results come together or apart, late or never
			calls, results := llm.Model(), llm.User()
			for range rapid.IntRange(1, 3).Draw(t, "calls") {
				id := fmt.Sprintf("f__%d", ids)
				ids++
				calls.Parts = append(calls.Parts, llm.Part{FunctionCall: &llm.FunctionCall{ID: id, Name: "f"}})
				if rapid.IntRange(0, 9).Draw(t, "answered") > 0 {
					results.Parts = append(results.Parts, llm.Part{FunctionResponse: llm.Output(id, "f", words("result").Text)})
				}
			}
			if rapid.IntRange(0, 9).Draw(t, "void") == 0 {
				calls.Parts = append(calls.Parts, llm.Part{})
			}
			add(calls)
			if rapid.IntRange(0, 9).Draw(t, "late") == 0 {
				add(llm.User(words("meanwhile")))
			}
			if n := len(results.Parts); n > 1 && rapid.Bool().Draw(t, "apart") {
				add(llm.User(results.Parts[:1]...))
				add(llm.User(results.Parts[1:]...))
			} else if n > 0 {
				add(results)
			}
		case 8:
			add(llm.User(llm.Part{FunctionResponse: llm.Output(fmt.Sprintf("orphan%d", len(h)), "f", "x")}))
		case 9:
			add(llm.Model())
		case 10:
			add(llm.Model(llm.Part{}, words("broken")))
		case 11:
			add(llm.User(llm.Part{InlineData: &llm.Blob{MIMEType: "image/png", Data: []byte("png")}}))
		}
	}
	if rapid.Bool().Draw(t, "waits") {
		add(llm.Model(llm.Part{FunctionCall: &llm.FunctionCall{ID: "last", Name: "f"}}))
	}
	return h
}

// loose returns the ids of calls without results and of results without calls.
func loose(h []agent.Message) []string {
	open, lost := map[string]bool{}, []string{}
	for _, m := range h {
		for _, p := range m.Content.Parts {
			switch {
			case p.FunctionCall != nil:
				open[p.FunctionCall.ID] = true
			case p.FunctionResponse != nil && open[p.FunctionResponse.ID]:
				delete(open, p.FunctionResponse.ID)
			case p.FunctionResponse != nil:
				lost = append(lost, p.FunctionResponse.ID)
			}
		}
	}
	for id := range open {
		lost = append(lost, id)
	}
	return lost
}

// For any history and any answer of the model: the new history is valid if the old one was, it
// is not larger, and it is unchanged if there is nothing to do.
func TestAnyHistory(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		history := drawHistory(t)
		before := contents(history)
		answers := rapid.SliceOfN(rapid.SampledFrom([]string{
			form("go"), "", "No.", form(strings.Repeat("long ", 2000)), "<state_snapshot>half", "<overall_goal>x</overall_goal>",
			"</state_snapshot><state_snapshot></session_context>",
		}), 1, 3).Draw(t, "answers")
		s := &scribe{answer: func(n int, _ *llm.Request) (*llm.Response, error) {
			if n%5 == 4 {
				return nil, &llm.Error{Kind: llm.KindContextWindow}
			}
			return text(answers[n%len(answers)]), nil
		}}
		o := compress.Options{Generator: s, Preserve: rapid.SampledFrom([]float64{0, 0.1, 0.5, 0.9}).Draw(t, "preserve")}
		if rapid.Bool().Draw(t, "save") {
			o.ResponseBudget, o.KeptChars = 100, 300
			n := 0
			o.Save = func(string, int, string) (string, error) {
				if n++; n%4 == 0 {
					return "", errors.New("no")
				}
				return "/t/x.txt", nil
			}
		}
		limit := rapid.SampledFrom([]int{0, 500, 4000, 1_000_000}).Draw(t, "limit")
		got, done := compress.New(o).Compress(t.Context(), agent.CompressRequest{
			History: history, Model: "m", Tokens: tokens(history), Limit: limit, Force: rapid.Bool().Draw(t, "force"),
			Room: rapid.SampledFrom([]int{0, 0, 1, 300, 2000}).Draw(t, "room"),
		})
		if !cmp.Equal(contents(history), before, pointers) {
			t.Fatal("the history that was given has changed")
		}
		switch done.Status {
		case agent.CompressedOK, agent.CompressContentTruncated:
		default:
			if !cmp.Equal(contents(got), before, pointers) {
				t.Fatalf("status %d, and another history", done.Status)
			}
			return
		}
		if tokens(got) > tokens(history) || done.After > done.Before {
			t.Fatalf("%d tokens were %d: %+v", tokens(got), tokens(history), done)
		}
		known := loose(history)
		for _, id := range loose(got) {
			if !slices.Contains(known, id) {
				t.Fatalf("%s has lost its other half", id)
			}
		}
		for i, m := range got {
			if len(m.Content.Parts) == 0 && !slices.Contains(before, m.Content) {
				t.Fatalf("message %d is empty", i)
			}
		}
		if len(history) > 0 && isOpening(history[0]) && got[0].Content != before[0] {
			t.Fatal("the opening is gone")
		}
		if last := history[len(history)-1].Content; len(last.FunctionCalls()) > 0 && len(got[len(got)-1].Content.FunctionCalls()) != len(last.FunctionCalls()) {
			t.Fatal("the calls at the end are gone")
		}
	})
}

func isOpening(m agent.Message) bool {
	return strings.HasPrefix(m.Content.Text(), "<session_context>")
}
