package compress_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pollux/agent"
	"pollux/agent/compress"
	"pollux/llm"
)

// recalls returns a scribe that remembers each FACT-n that it gets and refuses requests larger
// than a window of limit tokens.
func recalls(limit int) *scribe {
	fact := regexp.MustCompile(`FACT-\d+`)
	return &scribe{answer: func(_ int, req *llm.Request) (*llm.Response, error) {
		found, n := map[string]bool{}, 0
		for _, c := range req.Contents {
			n += c.Tokens()
			for _, p := range c.Parts {
				said := p.Text
				if p.FunctionResponse != nil {
					said = string(p.FunctionResponse.Response)
				}
				if p.FunctionCall != nil {
					said = string(p.FunctionCall.Args)
				}
				for _, f := range fact.FindAllString(said, -1) {
					found[f] = true
				}
			}
		}
		if s := req.Config.SystemInstruction; s != nil {
			n += s.Tokens()
		}
		if limit > 0 && n > limit {
			return nil, &llm.Error{Kind: llm.KindContextWindow, Message: "the prompt is too long"}
		}
		facts := strings.Join(slices.Sorted(maps.Keys(found)), ", ")
		return text("<scratchpad>The <state_snapshot> is next.</scratchpad><state_snapshot><overall_goal>go on</overall_goal><key_knowledge>" + facts + "</key_knowledge></state_snapshot>"), nil
	}}
}

// After a hundred compressions the summary still holds the first facts, the history is small
// and valid, and no request was larger than the window.
func TestHundredCompressions(t *testing.T) {
	t.Parallel()
	const limit = 20_000
	s := recalls(limit)
	c := newCompressor(t, s, nil)
	history := []agent.Message{opening()}
	compressions, most := 0, 0
	for turn := 0; compressions < 100; turn++ {
		over := agent.CompressRequest{History: history, Model: "m", Tokens: tokens(history), Limit: limit}
		got, done := c.Compress(t.Context(), over)
		switch done.Status {
		case agent.CompressedOK:
			compressions++
			valid(t, got)
			if leads := strings.Count(flat(got), "<state_snapshot>"); leads != 1 || got[0].Content != history[0].Content {
				t.Fatalf("%d snapshots after compression %d", leads, compressions)
			}
		case agent.CompressNoOp:
		default:
			t.Fatalf("turn %d: %+v", turn, done)
		}
		history = got
		most = max(most, tokens(history))
		prompt := fmt.Sprintf("prompt %d ", turn)
		if turn%50 == 5 {
			prompt += fmt.Sprintf("FACT-%d ", turn)
		}
		history = slices.Concat(slices.Clip(history), []agent.Message{user(prompt)}, rounds(10*turn, turn%5, 2000), []agent.Message{model("done")})
		if turn > 5000 {
			t.Fatalf("%d compressions in %d turns", compressions, turn)
		}
	}
	if all := flat(history); !strings.Contains(all, "FACT-5,") || !strings.Contains(all, "FACT-55,") {
		t.Error("what was said at the beginning is forgotten")
	}
	if most > limit*6/10 || len(s.requests) != 200 {
		t.Errorf("up to %d tokens, %d requests", most, len(s.requests))
	}
}

func flat(messages []agent.Message) string {
	var b strings.Builder
	for _, m := range messages {
		b.WriteString(m.Content.Text())
	}
	return b.String()
}

// After a change to a model with a smaller window, it summarizes the history in pieces.
func TestSmallerWindow(t *testing.T) {
	t.Parallel()
	history := []agent.Message{opening()}
	for turn := range 100 {
		history = append(history, user(fmt.Sprintf("FACT-%d %s", turn, strings.Repeat("word ", 400))), model(strings.Repeat("word ", 1200)))
	}
	for _, tt := range []struct {
		name   string
		limit  int // that is known
		really int
	}{
		{"known", 20_000, 20_000},
		{"not known", 0, 20_000},
		{"less than known", 100_000, 20_000},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := recalls(tt.really)
			got, done := newCompressor(t, s, nil).Compress(t.Context(), agent.CompressRequest{
				History: history, Model: "small", Tokens: tokens(history), Limit: tt.limit, Force: true,
			})
			if done.Status != agent.CompressedOK {
				t.Fatalf("%+v after %d requests", done, len(s.requests))
			}
			valid(t, got)
			all := flat(got)
			for turn := range 100 {
				if !strings.Contains(all, fmt.Sprintf("FACT-%d", turn)) {
					t.Errorf("FACT-%d is lost", turn)
				}
			}
			if tt.limit == tt.really && (done.After > tt.limit/2 || len(s.requests) > 28) { // 14 pieces, each with a second look
				t.Errorf("%+v after %d requests", done, len(s.requests))
			}
		})
	}
}

// A single message may exceed the window of the writer.
func TestHugeMessage(t *testing.T) {
	t.Parallel()
	huge := strings.Repeat("word ", 100_000)
	args, err := json.Marshal(map[string]string{"text": "FACT-4 " + huge})
	if err != nil {
		t.Fatal(err)
	}
	history := []agent.Message{
		user("FACT-1 " + huge + " FACT-2"), model("yes"),
		user("go"), call("run__1", "run"), result("run__1", "run", "FACT-3 "+huge),
		{Content: llm.Model(llm.Part{FunctionCall: &llm.FunctionCall{ID: "w__1", Name: "w", Args: args}})},
		{Content: llm.User(llm.Part{FunctionResponse: &llm.FunctionResponse{
			ID: "w__1", Name: "w", Response: json.RawMessage(`{"n":1}`),
			Parts: []llm.Part{{InlineData: &llm.Blob{MIMEType: "image/png", Data: make([]byte, 1000)}}},
		}})},
		{Content: llm.User(llm.Part{InlineData: &llm.Blob{MIMEType: "video/mp4", Data: make([]byte, 1<<20)}}, llm.Part{FileData: &llm.FileData{FileURI: "gs://x"}})},
		model("all read"),
	}
	s := recalls(10_000)
	got, done := newCompressor(t, s, nil).Compress(t.Context(), agent.CompressRequest{
		History: history, Model: "small", Tokens: tokens(history), Limit: 10_000, Force: true,
	})
	all := flat(got)
	for i := range 4 {
		if !strings.Contains(all, fmt.Sprintf("FACT-%d", i+1)) {
			t.Errorf("FACT-%d is lost", i+1)
		}
	}
	if done.Status != agent.CompressedOK || done.After > 5000 {
		t.Errorf("%+v", done)
	}
	for _, r := range s.requests {
		for _, m := range r.Contents {
			for _, p := range m.Parts {
				if c := p.FunctionCall; c != nil && !json.Valid(c.Args) {
					t.Errorf("arguments %.60q", c.Args)
				}
			}
		}
	}
}

// If the window is too small for any request, the compression fails after few requests.
func TestNoWindow(t *testing.T) {
	t.Parallel()
	s, warned := recalls(1), ""
	c := newCompressor(t, s, func(o *compress.Options) { o.Warn = func(w string) { warned = w } })
	_, done := c.Compress(t.Context(), forced(talk(100, 4000)))
	if done.Status != agent.CompressEmptySummary || len(s.requests) > 12 || !strings.Contains(warned, "too long") {
		t.Errorf("%+v after %d requests, warned %q", done, len(s.requests), warned)
	}
}
