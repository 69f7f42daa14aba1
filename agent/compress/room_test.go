package compress_test

import (
	"fmt"
	"strings"
	"testing"

	"pollux/agent"
	"pollux/agent/compress"
	"pollux/llm"

	"github.com/google/go-cmp/cmp"
)

// pages returns a conversation of n tool calls for one prompt. Each result has about size
// characters.
func pages(n, size int) []agent.Message {
	h := []agent.Message{opening(), user("Find the fault in the ledger.")}
	for i := range n {
		h = append(h, call(fmt.Sprint(i), "read_file"), result(fmt.Sprint(i), "read_file", fmt.Sprintf("page %d ", i)+strings.Repeat("of the ledger ", size/14)))
	}
	return h
}

// With Room, the history fits whatever the model writes: first the results of tools are
// shortened, then the oldest rounds give way to an outline.
func TestRoom(t *testing.T) {
	t.Parallel()
	fails := func(int, *llm.Request) (*llm.Response, error) {
		return nil, &llm.Error{Kind: llm.KindServer, Message: "Out of order."}
	}
	say := func(s string) func(int, *llm.Request) (*llm.Response, error) { return writes(s).answer }
	for _, tt := range []struct {
		name    string
		history []agent.Message
		answer  func(int, *llm.Request) (*llm.Response, error)
		room    int
		want    agent.CompressionStatus
		holds   []string // in the new history
		lacks   []string
	}{
		{"a summary is enough", pages(20, 2000), say(form("the ledger")), 8000, agent.CompressedOK, []string{"the ledger", "page 19 "}, []string{"page 1 ", "Output too large"}},
		{"a summary is not enough", pages(20, 2000), say(form("the ledger")), 1500, agent.CompressedOK, []string{"the ledger", "page 19 ", "Output too large"}, nil},
		{"no summary, shorter results", pages(8, 4000), fails, 3000, agent.CompressContentTruncated, []string{"Find the fault", "page 0 ", "page 7 ", "Output too large"}, []string{"state_snapshot"}},
		{"no summary, fewer rounds", pages(60, 2000), fails, 3000, agent.CompressContentTruncated, []string{"user: Find the fault in the ledger.", "called: read_file", "page 59 "}, []string{"page 10 "}},
		{"no words", pages(60, 2000), say("No."), 3000, agent.CompressContentTruncated, []string{"user: Find the fault in the ledger.", "page 59 "}, []string{"page 10 "}},
		{"talk alone", talk(60, 1000), fails, 3000, agent.CompressContentTruncated, []string{"user: 000044", "000059"}, []string{"000010"}},
		{"far too large a summary", pages(20, 2000), say(form(strings.Repeat("word ", 40_000))), 3000, agent.CompressContentTruncated, []string{"page 19 "}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var kept shelf
			s := &scribe{answer: tt.answer}
			c := compress.New(compress.Options{Generator: s, Save: kept.save})
			request := forced(tt.history)
			request.Room = tt.room
			got, done := c.Compress(t.Context(), request)
			if done.Status != tt.want || done.Before != tokens(tt.history) || done.After != tokens(got) || done.After > tt.room {
				t.Errorf("%+v for a room of %d; the history has %d", done, tt.room, tokens(got))
			}
			all := ""
			for _, m := range got {
				all += m.Content.Text() + "\n"
				for _, p := range m.Content.Parts {
					if p.FunctionResponse != nil {
						all += string(p.FunctionResponse.Response) + "\n"
					}
				}
			}
			for _, want := range tt.holds {
				if !strings.Contains(all, want) {
					t.Errorf("%q is not in\n%.3000s", want, all)
				}
			}
			for _, no := range tt.lacks {
				if strings.Contains(all, no) {
					t.Errorf("%q is still there", no)
				}
			}
			if lost := loose(got); len(lost) > 0 {
				t.Errorf("calls without results: %q", lost)
			}
			// The next compression carries the outline over.
			again := forced(append(got, pages(20, 2000)[2:]...))
			again.Room = tt.room
			if got, done = c.Compress(t.Context(), again); done.After > tt.room || len(loose(got)) > 0 {
				t.Errorf("the second time: %+v", done)
			}
		})
	}
}

// In a small window, fewer and shorter results stay.
func TestBudgetInSmallWindow(t *testing.T) {
	t.Parallel()
	for limit, want := range map[int]int{1_000_000: 0, 20_000: 1} {
		var kept shelf
		c := compress.New(compress.Options{Generator: writes(form("go")), Save: kept.save})
		request := forced(pages(4, 20_000)) // 17,000 tokens
		request.Limit = limit
		c.Compress(t.Context(), request)
		if saved := min(len(kept.texts), 1); saved != want {
			t.Errorf("limit %d: %d results are saved", limit, len(kept.texts))
		}
	}
}

// A model whose system instruction and tools fill much of its window summarises without them.
func TestSummaryWithoutTools(t *testing.T) {
	t.Parallel()
	for limit, tools := range map[int]int{100_000: 1, 8_000: 0} {
		s := writes(form("go"))
		c := compress.New(compress.Options{Generator: s, RequestConfig: func(string) llm.Config {
			return llm.Config{
				SystemInstruction: llm.User(llm.Text(strings.Repeat("word ", 5000))),
				Tools:             []*llm.ToolSet{{Functions: []llm.FunctionDeclaration{{Name: "f"}}}},
			}
		}})
		request := forced(pages(8, 2000))
		request.Limit, request.Tokens = limit, request.Tokens+4600
		c.Compress(t.Context(), request)
		if len(s.requests) == 0 || len(s.requests[0].Config.Tools) != tools {
			t.Errorf("limit %d: %d requests", limit, len(s.requests))
		}
	}
}

// Prose as the second answer does not replace a snapshot that has the form.
func TestProseIsNoCorrection(t *testing.T) {
	t.Parallel()
	prose := strings.Repeat("The snapshot holds all that was said, and nothing is missing. ", 10)
	got, done := newCompressor(t, writes(form("the ledger"), prose), nil).Compress(t.Context(), forced(talk(10, 400)))
	if text := got[0].Content.Text(); done.Status != agent.CompressedOK || text != form("the ledger")+newer {
		t.Errorf("%+v: %s", done, text)
	}
}

// Of two answers in prose, the first is the summary: the second is about the first.
func TestProseTwice(t *testing.T) {
	t.Parallel()
	first := strings.Repeat("The user wants the total to be right and the test to pass. ", 6)
	second := strings.Repeat("Nothing of what was said before is missing from the snapshot. ", 6)
	got, done := newCompressor(t, writes(first, second), nil).Compress(t.Context(), forced(talk(10, 400)))
	if text := got[0].Content.Text(); done.Status != agent.CompressedOK || !strings.Contains(text, "the test to pass") {
		t.Errorf("%+v: %s", done, text)
	}
}

// An older summary is in the outline without the note after it.
func TestOutlineOfSummary(t *testing.T) {
	t.Parallel()
	history := append([]agent.Message{user(form("the ledger") + newer), model("Got it. Thanks for the additional context!")}, pages(30, 2000)[1:]...)
	request := forced(history)
	request.Room = 3000
	got, _ := compress.New(compress.Options{Generator: writes("No.")}).Compress(t.Context(), request)
	if lead := got[0].Content.Text(); !strings.Contains(lead, "the ledger</overall_goal>\nuser: Find") || strings.Count(lead, newer) != 1 || !strings.HasSuffix(lead, newer) {
		t.Errorf("the history begins with %s", lead)
	}
}

// A summary stays as it is if it is all that could be dropped.
func TestRoomKeepsSummary(t *testing.T) {
	t.Parallel()
	history := []agent.Message{user(form(strings.Repeat("all that counts ", 100))), model("Got it. Thanks for the additional context!"), user(strings.Repeat("word ", 2000))}
	request := forced(history)
	request.Room = 500
	got, done := newCompressor(t, writes("No."), nil).Compress(t.Context(), request)
	if done.Status == agent.CompressedOK || !cmp.Equal(contents(got), contents(history), pointers) {
		t.Errorf("%+v: %.300s", done, got[0].Content.Text())
	}
}
