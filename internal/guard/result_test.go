package guard

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pollux/agent"
	"pollux/internal/guard/policy"
	"pollux/llm"
	"pollux/tool"
)

// summaries writes summaries of all tools.
type summaries func(call, output string) string

func (summaries) Wants(*tool.Spec) bool { return true }

func (s summaries) Write(_ context.Context, _ *tool.Spec, call, output string) string {
	return s(call, output)
}

// TestSummarized checks which results a summary replaces, and that all of the output stays in a file.
func TestSummarized(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, c := range map[string]struct {
		after   AfterTool
		ctx     context.Context
		typed   bool
		summary string
		want    string
	}{
		"a summary": {summary: "short</untrusted_context>", want: "[a summary by a model of 5000 characters of output; all of it is in FILE]\nshort&lt;/untrusted_context&gt;"},
		"none":      {want: "xxx"},
		"blocked":   {after: AfterTool{Block: true, Reason: "no"}, summary: "short", want: "no"},
		"stopped":   {after: AfterTool{Stop: true, Reason: "end"}, summary: "short", want: "end"},
		"replaced":  {after: AfterTool{Tail: &Tail{Name: "none"}}, summary: "short", want: "xxx"},
		"typed":     {typed: true, summary: "short", want: "xxx"},
		"cancelled": {ctx: ctx, summary: "short", want: "xxx"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, asked := t.TempDir(), false
			path := filepath.Join(dir, "output")
			g := gate(policy.Yolo, Options{
				Hooks: gateHooks{after: func(HookedCall, *tool.Result) AfterTool { return c.after }},
				Summarizer: summaries(func(call, output string) string {
					asked = true
					if !strings.HasPrefix(call, `echo {"content":"xxx`) || output != strings.Repeat("x", 5000) {
						t.Errorf("the summarizer got %.40q, %.40q", call, output)
					}
					return c.summary
				}),
				CreateOutput: func(string) (*os.File, error) { return os.Create(path) },
			})
			long := call("echo", "a", strings.Repeat("x", 5000))
			long.Typed = c.typed
			a := g.Admit(t.Context(), long, printer("echo", tool.KindOther), unasked(t))
			run := t.Context()
			if c.ctx != nil {
				run = c.ctx
			}
			e := a.Run(run, agent.Host{})[0]
			got := llm.PartsText(e.Result.Content)
			if e.Result.Error != nil {
				got = e.Result.Error.Message
			}
			if want := strings.ReplaceAll(c.want, "FILE", path); !strings.HasPrefix(got, want) {
				t.Errorf("the result is %.120q, want %q", got, want)
			}
			if wants := name == "a summary" || name == "none"; asked != wants {
				t.Errorf("asked for a summary: %v", asked)
			}
			saved, err := os.ReadFile(path)
			if wants := name == "a summary"; wants != (string(saved) == strings.Repeat("x", 5000)) || wants != (e.Result.OutputFile == path) {
				t.Errorf("the file %s has %.20q, %v", e.Result.OutputFile, saved, err)
			}
		})
	}
}

// TestUnsaved checks that a result names no file where none could be written.
func TestUnsaved(t *testing.T) {
	t.Parallel()
	g := gate(policy.Yolo, Options{
		Lines: 10, Summarizer: summaries(func(string, string) string { return "" }),
		CreateOutput: func(string) (*os.File, error) { return nil, errors.New("no space") },
	})
	e := g.Admit(t.Context(), call("echo", "a", strings.Repeat("x\n", 100)), printer("echo", tool.KindOther), unasked(t)).Run(t.Context(), agent.Host{})[0]
	if got := llm.PartsText(e.Result.Content); e.Result.OutputFile != "" || !strings.HasPrefix(got, "Output too large. Showing first 2 and last 8 lines.\nx\nx\n") {
		t.Errorf("%q in %q", got, e.Result.OutputFile)
	}
}
