package journal

import (
	"pollux/internal/records"
	"pollux/llm"
)

var _ records.Sink = (*Journal)(nil)

// Record records what answered requests beside the conversation have used. Requests of the conversation are
// recorded with their responses. A nil *Journal records nothing.
func (j *Journal) Record(r records.Record) {
	end, ok := r.(records.RequestEnded)
	if j == nil || !ok || !end.IsAnswered {
		return
	}
	switch end.Request.Use {
	case "", llm.UseMain, llm.UseSubagent:
	default:
		_ = j.Spend(Request{Use: end.Request.Use, Model: end.Request.Model, Usage: end.Usage, Took: end.Took}) // it has warned
	}
}
