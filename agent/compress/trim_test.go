package compress_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pollux/agent"
	"pollux/agent/compress"
	"pollux/llm"
)

// shelf stores saved results.
type shelf struct {
	names, texts []string
	err          error
}

func (s *shelf) save(tool string, n int, text string) (string, error) {
	if s.err != nil {
		return "", s.err
	}
	s.names, s.texts = append(s.names, fmt.Sprintf("%s_%d", tool, n)), append(s.texts, text)
	return fmt.Sprintf("/t/%s_%d.txt", tool, n), nil
}

// Tool results beyond the budget are saved to files, the oldest first.
func TestBudget(t *testing.T) {
	t.Parallel()
	// Each result is 84,000 characters, 15,000 tokens: three fit the budget, and
	// the rest of another (40,000 characters, 7,000 tokens) does not fit beside them.
	history := append([]agent.Message{user("go")}, rounds(0, 6, 84_000)...)
	history = append(history, model("done"), user("more"), model("yes"))
	var kept shelf
	s := writes(form("go"))
	c := newCompressor(t, s, func(o *compress.Options) {
		o.Save = kept.save
		o.Preserve = 0.9999 // all but nothing is summarised, so that all can be seen
	})
	history = append([]agent.Message{user("first"), model("first")}, history...)
	got, done := c.Compress(t.Context(), forced(history))
	if done.Status != agent.CompressedOK {
		t.Fatalf("%+v", done)
	}
	if want := []string{"run_1", "run_2", "run_3"}; !cmp.Equal(kept.names, want) {
		t.Errorf("saved %q", kept.names)
	}
	shortened, whole := 0, 0
	for _, m := range got {
		for _, p := range m.Content.Parts {
			if r := p.FunctionResponse; r != nil {
				var body struct{ Output string }
				if err := json.Unmarshal(r.Response, &body); err != nil {
					t.Fatal(err)
				}
				if len(body.Output) == 84_000 {
					whole++
					continue
				}
				shortened++
				if want := "Output too large. Showing first 8,000 and last 32,000 characters. For full output see: /t/run_"; !strings.HasPrefix(body.Output, want) ||
					!strings.Contains(body.Output, "... [44,000 characters omitted] ...") || r.ID == "" || r.Name != "run" {
					t.Errorf("%s %s: %.200q", r.ID, r.Name, body.Output)
				}
				if m.ID != "r"+r.ID {
					t.Errorf("the message is now %q", m.ID)
				}
			}
		}
	}
	if shortened != 3 || whole != 3 || kept.texts[0] != strings.Repeat("line ", 16_800) {
		t.Errorf("%d results are shortened, %d are not", shortened, whole)
	}
	valid(t, got)
	// The writer has seen the original.
	for _, m := range s.requests[0].Contents {
		if strings.Contains(m.Text(), "too large") {
			t.Error("the summary is of what was shortened")
		}
	}
}

// The text of a result in each of its forms.
func TestBudgetForms(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 300_000)
	for _, tt := range []struct{ response, saved string }{
		{fmt.Sprintf(`{"output":%q}`, long), long},
		{fmt.Sprintf(`{"content":%q}`, long), long},
		{fmt.Sprintf(`{"content":%q,"output":%q}`, "no", long), "{\n  \"content\": \"no\",\n  \"output\": \"" + long + "\"\n}"},
		{fmt.Sprintf(`{"output":7,"content":%q}`, long), "{\n  \"output\": 7,\n  \"content\": \"" + long + "\"\n}"},
		{fmt.Sprintf(`%q`, long), long},
		{fmt.Sprintf(`{"rows":[%q]}`, long), "{\n  \"rows\": [\n    \"" + long + "\"\n  ]\n}"},
		{`{"output":"` + long, `{"output":"` + long}, // not JSON
		{`{"output":"short"}`, ""},
		{`null`, ""},
		{``, ""},
	} {
		var kept shelf
		c := newCompressor(t, writes(form("go")), func(o *compress.Options) { o.Save = kept.save })
		history := []agent.Message{
			user("go"), call("1", ""),
			{Content: llm.User(llm.Part{FunctionResponse: &llm.FunctionResponse{ID: "1", Response: json.RawMessage(tt.response)}})},
			model("done"),
		}
		c.Compress(t.Context(), forced(history))
		switch {
		case tt.saved == "":
			if kept.texts != nil {
				t.Errorf("%.20q is saved", tt.response)
			}
		case len(kept.texts) != 1 || kept.texts[0] != tt.saved || kept.names[0] != "unknown_tool_1":
			t.Errorf("%.20q: %q, %d texts", tt.response, kept.names, len(kept.texts))
		}
	}
}

// After a failed summary, tool results are saved to files, once while the history hardly
// grows. Each file is written once.
func TestTruncateAfterFailure(t *testing.T) {
	t.Parallel()
	history := append([]agent.Message{user("go")}, rounds(0, 10, 100_000)...)
	history = append(history, model("done"))
	var kept shelf
	s := &scribe{answer: func(int, *llm.Request) (*llm.Response, error) { return nil, errors.New("no") }}
	c := newCompressor(t, s, func(o *compress.Options) { o.Warn, o.Save = nil, kept.save })
	over := agent.CompressRequest{History: history, Model: "m", Tokens: tokens(history), Limit: 320_000}
	if got, done := c.Compress(t.Context(), over); done.Status != agent.CompressEmptySummary || len(got) != len(history) || len(kept.names) != 8 {
		t.Fatalf("%+v, %d files", done, len(kept.names))
	}
	got, done := c.Compress(t.Context(), over)
	if done.Status != agent.CompressContentTruncated || done.After != tokens(got) || done.Before != over.Tokens || len(kept.names) != 8 || len(s.requests) != 1 {
		t.Fatalf("%+v, the history is of %d tokens; %d files", done, tokens(got), len(kept.names))
	}
	valid(t, got)
	if got[len(got)-1].Content != history[len(history)-1].Content || got[0].Content != history[0].Content {
		t.Error("messages without results have changed")
	}
	over.History, over.Tokens = got, 210_000 // it has grown, but all is in files already
	for range 3 {
		if _, done := c.Compress(t.Context(), over); done.Status != agent.CompressNoOp || len(kept.names) != 8 || len(s.requests) != 1 {
			t.Fatalf("%+v, %d files", done, len(kept.names))
		}
	}
}

// If the vendor refuses a request and the summary fails, the history still gets shorter.
func TestTruncateWhenForced(t *testing.T) {
	t.Parallel()
	history := append([]agent.Message{user("go")}, rounds(0, 10, 100_000)...)
	history = append(history, model("done"))
	s := &scribe{answer: func(int, *llm.Request) (*llm.Response, error) { return nil, errors.New("no") }}
	var kept shelf
	c := newCompressor(t, s, func(o *compress.Options) { o.Warn, o.Save = nil, kept.save })
	if _, done := c.Compress(t.Context(), forced(history)); done.Status != agent.CompressContentTruncated {
		t.Errorf("%+v", done)
	}
	// Without a place for the files nothing is taken away.
	c = newCompressor(t, s, func(o *compress.Options) { o.Warn = nil })
	if got, done := c.Compress(t.Context(), forced(history)); done.Status != agent.CompressEmptySummary || !cmp.Equal(contents(got), contents(history), pointers) {
		t.Errorf("%+v", done)
	}
	kept.err = errors.New("disk full")
	warned := ""
	c = newCompressor(t, s, func(o *compress.Options) { o.Warn, o.Save = func(w string) { warned += w }, kept.save })
	if got, done := c.Compress(t.Context(), forced(history)); done.Status != agent.CompressEmptySummary ||
		!cmp.Equal(contents(got), contents(history), pointers) || !strings.Contains(warned, "disk full") {
		t.Errorf("%+v, warned %q", done, warned)
	}
}

// Images of a tool result stay with its shortened text.
func TestBudgetKeepsMedia(t *testing.T) {
	t.Parallel()
	var kept shelf
	r := llm.Output("1", "run", strings.Repeat("line ", 60_000))
	r.Parts = []llm.Part{{InlineData: &llm.Blob{MIMEType: "image/png", Data: []byte("png")}}}
	history := []agent.Message{
		user("a"), model("b"), user("go"), call("1", "run"), {Content: llm.User(llm.Part{FunctionResponse: r}, llm.Text("and"))}, model("done"),
	}
	s := &scribe{answer: func(int, *llm.Request) (*llm.Response, error) { return nil, errors.New("no") }}
	c := newCompressor(t, s, func(o *compress.Options) { o.Warn, o.Save = nil, kept.save })
	got, done := c.Compress(t.Context(), forced(history))
	if parts := got[4].Content.Parts; done.Status != agent.CompressContentTruncated || len(parts) != 2 ||
		len(parts[0].FunctionResponse.Parts) != 1 || parts[1].Text != "and" {
		t.Errorf("%+v: %+v", done, parts)
	}
	if history[4].Content.Parts[0].FunctionResponse != r {
		t.Error("the message that was given has changed")
	}
}
