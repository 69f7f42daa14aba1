package compress_test

import (
	"strings"
	"testing"

	"pollux/agent"
	"pollux/agent/compress"
)

// The facts follow the snapshot, also that of a second compression, which has the text of the first.
func TestFacts(t *testing.T) {
	t.Parallel()
	removed, kept := 0, 0
	c := newCompressor(t, writes(form("go")), func(o *compress.Options) {
		o.Facts = func(older, newer []agent.Message) []compress.Fact {
			removed, kept = len(older), len(newer)
			list := compress.Earlier(older, "list")
			if list == "" {
				list = "1. write\n2. test"
			}
			return []compress.Fact{{Name: "list", Text: list}, {Name: "none"}, {Name: "runs", Text: "PID 7: serve"}}
		}
	})
	const want = "</state_snapshot>\n\n[The program adds this, as it was when the snapshot was written.]\n<list>\n1. write\n2. test\n</list>\n<runs>\nPID 7: serve\n</runs>" + newer
	history := talk(20, 4000)
	for range 2 {
		n := len(history)
		got, done := c.Compress(t.Context(), forced(history))
		if done.Status != agent.CompressedOK {
			t.Fatalf("%+v", done)
		}
		if text := got[0].Content.Text(); !strings.HasSuffix(text, want) {
			t.Errorf("the summary: %s", text)
		}
		if removed == 0 || removed+kept != n {
			t.Errorf("%d messages removed, %d kept, of %d", removed, kept, n)
		}
		history = append(got, talk(20, 4000)...)
	}
}

// Facts take a small part of a small window, whether a model or an outline has the older messages.
func TestFactsInSmallWindow(t *testing.T) {
	t.Parallel()
	history := talk(60, 400)
	for _, answer := range []string{form("go"), "no"} {
		facts := false
		compressed := func() ([]agent.Message, agent.Compression) {
			c := newCompressor(t, writes(answer), func(o *compress.Options) {
				o.Warn = func(string) {}
				if facts {
					o.Facts = func(_, _ []agent.Message) []compress.Fact {
						return []compress.Fact{{Name: "list", Text: strings.Repeat("A step of the work.\n", 1000)}}
					}
				}
			})
			return c.Compress(t.Context(), agent.CompressRequest{History: history, Model: "lead", Tokens: tokens(history), Limit: 8000, Room: 4000, Force: true})
		}
		_, before := compressed()
		facts = true
		got, done := compressed()
		if text := got[0].Content.Text(); !strings.Contains(text, "A step of the work.\n[...]\n</list>") || !before.Shorter() || !done.Shorter() || done.After > 4000 || done.After > before.After+600 {
			t.Errorf("%q: %+v, without facts %+v: %.2000s", answer, done, before, text)
		}
	}
}
