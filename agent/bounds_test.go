package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"pollux/agent"
	"pollux/llm"
	"pollux/tool"
)

// A response without end is cut off: the calls before the cut run, and the model learns of it.
func TestBounds(t *testing.T) {
	t.Parallel()
	var many []*llm.Response
	for i := range 1100 {
		many = append(many, chunk("", call(fmt.Sprint(i), "count", `{}`)))
	}
	large := []*llm.Response{
		chunk("", call("a", "count", `{"text": "small"}`)),
		chunk("", call("b", "count", `{"text": "`+strings.Repeat("x", 4<<20)+`"}`)),
		chunk("", call("c", "count", `{}`)),
	}
	for _, tt := range []struct {
		name   string
		chunks []*llm.Response
		ran    int
		want   string
	}{
		{"calls", many, 1000, "Not run. Your reply makes more than 1,000 calls."},
		{"arguments", large, 1, "Not run. The arguments of this call are larger than 4 MB."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var ran atomic.Int32
			count := newToy("count", func(context.Context, tool.Host, json.RawMessage) *tool.Result {
				ran.Add(1)
				return tool.Text("ok")
			})
			s := &script{answers: []func(context.Context, func(*llm.Response, error) bool){says(tt.chunks...), says(text("Done."))}}
			a := newAgent(t, s, func(c *agent.Config) { c.LoopDetector = nil }, count)
			play(t.Context(), a, "go")
			if int(ran.Load()) != tt.ran {
				t.Errorf("%d calls ran, want %d", ran.Load(), tt.ran)
			}
			last := wire(s.requests[1].Contents)
			if got := strings.Count(last, tt.want); got != 1 || len(last) > 1<<20 {
				t.Errorf("the next request has the refusal %d times, in %d bytes", got, len(last))
			}
		})
	}
}
