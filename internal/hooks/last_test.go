package hooks

import (
	"strings"
	"testing"
	"time"

	"pollux/internal/guard/hook"
	"pollux/internal/process"
)

func TestLast(t *testing.T) {
	t.Parallel()
	h := &Hooks{}
	before, after := &hook.Hook{Event: hook.BeforeTool, Name: "lint"}, &hook.Hook{Event: hook.AfterTool, Name: "lint"}
	if _, ok := h.Last(before); ok {
		t.Error("a run that was not")
	}
	h.last.note(hook.Call{Result: &hook.Result{Hook: before, Code: 0}})
	h.last.note(hook.Call{Result: &hook.Result{Hook: before, Status: process.Status{Code: 3}, Code: 3, Stderr: strings.Repeat("no ", 1000), Duration: time.Second}})
	r, ok := h.Last(before)
	if !ok || r.Code != 3 || !r.Failed || r.Took != time.Second || len(r.Cause) > 320 || !strings.HasPrefix(r.Cause, "no no") {
		t.Errorf("%+v", r)
	}
	if _, ok := h.Last(after); ok {
		t.Error("the hook of another event has the same name")
	}
}
