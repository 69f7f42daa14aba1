package compress_test

import (
	"strings"
	"testing"

	"pollux/agent"
	"pollux/agent/compress"
)

// The writer of a snapshot reads which messages will follow it: none, some, or the rest that does not fit its window.
func TestAfterSnapshot(t *testing.T) {
	t.Parallel()
	const (
		alone = "The agent goes on from the snapshot alone."
		more  = "the rest will be added to your snapshot."
	)
	pending := call("last", "run")
	for _, tt := range []struct {
		name    string
		history []agent.Message
		limit   int
		want    string // in the last request
		first   string // in the first one
	}{
		{name: "nothing", history: []agent.Message{user(strings.Repeat("word ", 100)), model(strings.Repeat("word ", 100))}, want: alone},
		{name: "prompts and answers", history: talk(10, 400), want: "the agent has, word for word, the newest 2 messages of the conversation, which you are not shown."},
		{name: "a prompt and the rounds for it", history: append(pages(8, 2000), pending), want: "the agent has, word for word, the user's last prompt and the newest 5 messages of"},
		{name: "pieces", history: append(pages(40, 2000), pending), limit: 10_000, want: "the newest ", first: more},
	} {
		for _, isBrief := range []bool{false, true} {
			s := writes(form("go"))
			c := newCompressor(t, s, func(o *compress.Options) { o.SkipVerification = true })
			o := forced(tt.history)
			if isBrief {
				o.Limit = 30_000
			}
			if tt.limit > 0 {
				o.Limit = tt.limit
			}
			got, done := c.Compress(t.Context(), o)
			if done.Status != agent.CompressedOK && tt.want != alone {
				t.Errorf("%s: %+v", tt.name, done)
			}
			for i, req := range s.requests {
				want := tt.want
				if i < len(s.requests)-1 {
					want = tt.first
				}
				text := req.Config.SystemInstruction.Text()
				task := req.Contents[len(req.Contents)-1].Text()
				if want == "" || !strings.Contains(task, want) || strings.Contains(task, alone) != (want == alone) || strings.Contains(text, "alone") {
					t.Errorf("%s: request %d of %d says: %s", tt.name, i+1, len(s.requests), task)
				}
			}
			note := "[The messages after this snapshot are newer"
			if strings.Contains(tt.want, "last prompt") || tt.first != "" {
				note = "[The next prompt is the one that this snapshot is about."
			}
			if done.Status == agent.CompressedOK && strings.Count(flat(got), note) != 1 {
				t.Errorf("%s: the history has no %q: %.500s", tt.name, note, flat(got))
			}
			if (len(s.requests) > 1) != (tt.first != "") {
				t.Errorf("%s: %d requests", tt.name, len(s.requests))
			}
		}
	}
}
