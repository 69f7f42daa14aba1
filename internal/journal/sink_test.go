package journal

import (
	"testing"
	"time"

	"pollux/agent"
	"pollux/internal/records"
	"pollux/llm"
)

// TestSink checks that answered requests beside the conversation are in the file, and no others.
func TestSink(t *testing.T) {
	t.Parallel()
	j, _ := newJournal(t, t.TempDir())
	must(t, j.Begin(t.Context(), "id", []agent.Message{opening}))
	must(t, j.Append(t.Context(), agent.Entry{Message: message("1", llm.RoleUser, llm.Text("hello"))}))
	usage := &llm.Usage{Prompt: 5, Total: 5}
	end := func(use llm.Use, isAnswered bool) records.RequestEnded {
		return records.RequestEnded{Request: &llm.Request{Model: "m", Use: use}, IsAnswered: isAnswered, Usage: usage, Took: time.Second}
	}
	for _, r := range []records.Record{
		end("", true), end(llm.UseMain, true), end(llm.UseSubagent, true), end(llm.UseRouter, false),
		records.RequestBegan{Request: &llm.Request{Model: "m", Use: llm.UseRouter}},
		end(llm.UseRouter, true), end(llm.UseCompressor, true),
	} {
		j.Record(r)
		(*Journal)(nil).Record(r)
	}
	u, err := ReadUsage(j.Path())
	must(t, err)
	want := Counts{Requests: 2, Tokens: llm.Usage{Prompt: 10, Total: 10}, ModelTime: 2000}
	if got := sum(u); got != want || len(u.Rows) == 0 || u.Rows[len(u.Rows)-1].Model != "m" {
		t.Errorf("the file has %+v, want %+v", u, want)
	}
}
