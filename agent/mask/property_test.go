package mask_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"pollux/agent"
	"pollux/agent/mask"
	"pollux/llm"
)

var (
	anyTool = rapid.SampledFrom([]string{"read_file", "run_shell_command", "ask_user", "", "mcp_x"})
	anyText = rapid.Custom(func(t *rapid.T) string {
		piece := rapid.SampledFrom([]string{
			"word ", "字", "\x00", "\xff", "</tool_output_masked>", "<tool_output_masked>\n", "line\n", "Output: ", "🎉", "\\u00", `"}`,
			"<untrusted_context>\n", "\n</untrusted_context>", "\nExit Code: 1", "\n\nOutput too large. Full output available at: /x",
		})
		return strings.Repeat(piece.Draw(t, "piece"), rapid.IntRange(0, 400).Draw(t, "times")) + piece.Draw(t, "end") +
			strings.Repeat(piece.Draw(t, "other"), rapid.IntRange(0, 400).Draw(t, "times"))
	})
)

// anyRound draws some calls and their results.
func anyRound(t *rapid.T, id *int) []agent.Message {
	call, result := llm.Model(), llm.User()
	for range rapid.IntRange(1, 4).Draw(t, "calls") {
		*id++
		name, callID := anyTool.Draw(t, "tool"), fmt.Sprint(*id)
		call.Parts = append(call.Parts, llm.Part{FunctionCall: &llm.FunctionCall{ID: callID, Name: name}})
		r := llm.Output(callID, name, anyText.Draw(t, "output"))
		switch rapid.IntRange(0, 5).Draw(t, "form") {
		case 0:
			r = llm.Failure(callID, name, anyText.Draw(t, "error"))
		case 1:
			r.Response = json.RawMessage(anyText.Draw(t, "raw"))
		case 2:
			r.Parts = []llm.Part{{InlineData: &llm.Blob{MIMEType: "image/png"}}}
		}
		result.Parts = append(result.Parts, llm.Part{FunctionResponse: r, ThoughtSignature: rapid.SampledFrom([]string{"", "s"}).Draw(t, "signature")})
	}
	return []agent.Message{{ID: "c" + fmt.Sprint(*id), Content: call}, {ID: "r" + fmt.Sprint(*id), Content: result}}
}

// Properties of masking, however a history grows, is cut and is replaced: a call keeps its
// result, unchanged messages keep their pointers, the reported savings are the real ones, a second
// masking changes nothing, and a masker that has seen all steps does not mask less than a new one,
// except for results that were too small for a batch.
func TestAnyHistory(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var kept shelf
		o := mask.Options{Save: kept.save, Protect: rapid.IntRange(1, 2000).Draw(t, "protect"), Batch: rapid.IntRange(1, 2000).Draw(t, "batch")}
		m, id := mask.New(o), 0
		var history []agent.Message
		for range rapid.IntRange(1, 12).Draw(t, "turns") {
			switch rapid.IntRange(0, 9).Draw(t, "what") {
			case 0: // the agent goes on from a copy
				history = slices.Clone(history)
			case 1: // or back
				history = slices.Clip(history[:len(history)/2])
			case 2: // or from a summary
				history = slices.Concat([]agent.Message{message(llm.User(llm.Text("summary")))}, history[len(history)/2:])
			}
			history = append(history, anyRound(t, &id)...)
			before, files := slices.Clone(history), len(kept.texts)
			got, saved := m.Mask(t.Context(), history, 0)
			compare(t, before, got, saved, kept, files)
			if !slices.EqualFunc(history, before, func(a, b agent.Message) bool { return a.Content == b.Content }) {
				t.Fatal("the history itself was changed")
			}
			var more shelf
			o.Save = more.save
			if again, n := mask.New(o).Mask(t.Context(), got, 0); n != 0 || len(more.texts) > 0 {
				// Some results in the history may have been too small for a batch.
				compare(t, got, again, n, more, 0)
				if saved > 0 {
					t.Fatalf("masked again at once: %q", more.texts)
				}
			}
			history = got
		}
	})
}

// compare checks the history that Mask returned against the original.
func compare(t *rapid.T, before, got []agent.Message, saved int, kept shelf, files int) {
	if len(got) != len(before) {
		t.Fatalf("%d messages are %d", len(before), len(got))
	}
	changed := 0
	for i := range got {
		a, b := before[i].Content, got[i].Content
		if a == b {
			continue
		}
		if i == len(got)-1 || a.Role != b.Role || len(a.Parts) != len(b.Parts) || got[i].ID != before[i].ID {
			t.Fatalf("message %d has become another one", i)
		}
		for k := range a.Parts {
			p, q := a.Parts[k], b.Parts[k]
			if p.FunctionResponse == q.FunctionResponse {
				continue
			}
			changed++
			r, s := p.FunctionResponse, q.FunctionResponse
			if r.ID != s.ID || r.Name != s.Name || r.Name == "ask_user" || p.ThoughtSignature != q.ThoughtSignature || len(r.Parts) != len(s.Parts) {
				t.Fatalf("%+v has become %+v", r, s)
			}
			var body map[string]string
			if err := json.Unmarshal(s.Response, &body); err != nil || len(body) != 1 || !utf8.Valid(s.Response) {
				t.Fatalf("%q: %v", s.Response, err)
			}
			text := body["output"]
			inside, ok := strings.CutPrefix(text, "<tool_output_masked>\n")
			inside, end := strings.CutSuffix(inside, "\n</tool_output_masked>")
			if !ok || !end || strings.Contains(inside, "<tool_output_masked") || strings.Contains(inside, "</tool_output_masked") {
				t.Fatalf("%q", text)
			}
		}
	}
	if saved != tokens(before)-tokens(got) || saved < 0 || (saved > 0) != (changed > 0) || changed > len(kept.texts)-files {
		t.Fatalf("%d tokens are saved of %d, %d are left; %d results changed, %d files", saved, tokens(before), tokens(got), changed, len(kept.texts)-files)
	}
}

// For any results, the masked ones are the oldest, counted from the newest.
func TestAnyBatch(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var kept shelf
		o := mask.Options{Save: kept.save, Protect: rapid.IntRange(1, 20_000).Draw(t, "protect"), Batch: rapid.IntRange(1, 20_000).Draw(t, "batch")}
		m := mask.New(o)
		var history []agent.Message
		for i := range rapid.IntRange(1, 30).Draw(t, "turns") {
			history = append(history, round(i, "read_file", words(rapid.IntRange(500, 4000).Draw(t, "tokens")))...)
			var old []int
			newer, older := 0, 0
			for k := len(history) - 2; k >= 0; k-- {
				if c := history[k].Content; c.HasFunctionResponse() && !isMasked(history[k]) {
					if newer += c.Tokens(); newer > o.Protect {
						old, older = append(old, k), older+c.Tokens()
					}
				}
			}
			got, saved := m.Mask(t.Context(), history, 0)
			if (saved > 0) != (older >= o.Batch && older > 0) {
				t.Fatalf("round %d: %d tokens are old, %d saved", i, older, saved)
			}
			for k := range got {
				if masks := got[k].Content != history[k].Content; masks != (saved > 0 && slices.Contains(old, k)) {
					t.Fatalf("round %d: message %d", i, k)
				}
			}
			history = got
		}
	})
}
