package compress_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pollux/agent"
	"pollux/agent/compress"
	"pollux/llm"
	"pollux/llm/catalog"
)

// Seed 000, step by step and number by number, with the two rounds of seed 003
// 四 1.7.
func TestSeed(t *testing.T) {
	t.Parallel()
	const lead = "gemini-1.5-pro"
	limit := catalog.Lookup(lead).Input
	if limit != 2_097_152 {
		t.Fatalf("the window of %s is %d", lead, limit)
	}
	said := func(from, to int) []agent.Message { // all of one length
		var messages []agent.Message
		for i := from; i <= to; i++ {
			m := user(fmt.Sprintf("message %04d %s", i, strings.Repeat("word ", 1170)))
			if i%2 == 0 {
				m.Content.Role = llm.RoleModel // "user" is a letter shorter
				m.Content.Parts[0].Text = m.Content.Parts[0].Text[1:]
			}
			messages = append(messages, m)
		}
		return messages
	}
	s := &scribe{}
	s.answer = func(n int, req *llm.Request) (*llm.Response, error) {
		return text("<scratchpad>Let me think.</scratchpad>\n" + form(fmt.Sprintf("summary %d", n+1))), nil
	}
	c := newCompressor(t, s, func(o *compress.Options) {
		o.Threshold, o.SkipVerification, o.FiveSections = 0.7, true, true
		o.Limit = func(model string) int { return catalog.Lookup(model).Input }
	})

	// Step 1: up to 70 % of the window nothing happens.
	history := said(1, 1000)
	at := 1_468_007 // the first number above 2,097,152 × 0.7
	if got, done := c.Compress(t.Context(), agent.CompressRequest{History: history, Model: lead, Tokens: at - 1, Limit: limit}); done.Status != agent.CompressNoOp || len(got) != 1000 {
		t.Fatalf("%+v", done)
	}
	// Step 2: 70 % are compressed, 30 % kept. Step 3: one call of its own, its
	// system instruction the summariser's, the old history its content.
	got, done := c.Compress(t.Context(), agent.CompressRequest{History: history, Model: lead, Tokens: at, Limit: limit, PromptID: "p"})
	if done.Status != agent.CompressedOK || done.Before != at || done.After >= done.Before || len(s.requests) != 1 {
		t.Fatalf("%+v after %d requests", done, len(s.requests))
	}
	req := s.requests[0]
	if len(req.Contents) != 701 || !cmp.Equal(req.Contents[:700], contents(history[:700]), pointers) ||
		!strings.Contains(req.Config.SystemInstruction.Text(), "<state_snapshot>") || req.Config.Tools != nil {
		t.Errorf("%d messages were sent", len(req.Contents))
	}
	// Step 4: the summary, the model's thanks, the newer 30 %.
	if len(got) != 302 || !strings.Contains(got[0].Content.Text(), "summary 1") || strings.Contains(got[0].Content.Text(), "think") ||
		!strings.HasPrefix(got[1].Content.Text(), "Got it. Thanks") || !cmp.Equal(contents(got[2:]), contents(history[700:]), pointers) {
		t.Errorf("%d messages are left, first %q", len(got), got[0].Content.Text())
	}
	// 30 %, give or take the summary and the vendor's tokens outside of messages.
	if share := float64(done.After) / float64(done.Before); share < 0.29 || share > 0.31 {
		t.Errorf("%d of %d tokens are left", done.After, done.Before)
	}
	// Step 5: the next prompt goes on with that.

	// The second round: 500 more messages, of the 802 560 go, the first summary
	// among them (the seed counts them to message 1140 there, which is 55 %).
	history = append(got, said(1001, 1500)...)
	got, done = c.Compress(t.Context(), agent.CompressRequest{History: history, Model: lead, Tokens: at, Limit: limit})
	req = s.requests[1]
	if done.Status != agent.CompressedOK || len(req.Contents) != 563 || req.Contents[0] != history[0].Content {
		t.Fatalf("%+v, %d messages were sent", done, len(req.Contents))
	}
	if !strings.Contains(req.Contents[562].Text(), "carry over everything in it") {
		t.Errorf("it is not asked to take up the first: %q", req.Contents[562].Text())
	}
	if len(got) != 242 || !strings.Contains(got[0].Content.Text(), "summary 2") || !strings.HasPrefix(got[2].Content.Text(), "message 1261") {
		t.Errorf("%d messages are left, first %q", len(got), got[2].Content.Text()[:12])
	}

	// A summary that is larger than the messages it replaces is discarded.
	s.answer = func(int, *llm.Request) (*llm.Response, error) {
		return text(form(strings.Repeat("and so on ", 600_000))), nil
	}
	history = append(got, said(1501, 1900)...)
	over := agent.CompressRequest{History: history, Model: lead, Tokens: at, Limit: limit}
	same, done := c.Compress(t.Context(), over)
	if done.Status != agent.CompressInflated || done.After <= done.Before || len(same) != len(history) {
		t.Errorf("%+v", done)
	}
	// It is not tried again without a request.
	if _, done := c.Compress(t.Context(), over); done.Status != agent.CompressNoOp || len(s.requests) != 3 {
		t.Errorf("%+v after %d requests", done, len(s.requests))
	}
	over.Force = true
	if _, done := c.Compress(t.Context(), over); done.Status != agent.CompressInflated || len(s.requests) != 4 {
		t.Errorf("%+v after %d requests", done, len(s.requests))
	}
}
