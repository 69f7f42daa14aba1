package headless

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"testing/synctest"
	"time"

	"pollux/agent"
	"pollux/agent/agenttest"
	"pollux/internal/records"
	"pollux/internal/stats"
	"pollux/internal/terminal"
	"pollux/llm"
	"pollux/llm/catalog"
	"pollux/tool"
)

// TestDocs checks that the examples of docs/headless.md are the output of Run.
func TestDocs(t *testing.T) {
	examples := map[string]string{
		"docs.text":        example(t, Text, nil),
		"docs.json":        example(t, JSON, nil),
		"docs.stream-json": example(t, StreamJSON, nil),
		"docs_error.json":  example(t, JSON, &llm.Error{Status: 503, Message: "The model is overloaded."}),
	}
	path := filepath.Join("..", "..", "..", "docs", "headless.md")
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)<!-- (docs[a-z_.-]*) -->\n```[a-z]*\n(.*?)```\n")
	found := 0
	page = block.ReplaceAllFunc(page, func(b []byte) []byte {
		found++
		m := block.FindSubmatch(b)
		want, ok := examples[string(m[1])]
		if !ok {
			t.Errorf("%s: no example is called %s", path, m[1])
		}
		if !*update && want != string(m[2]) {
			t.Errorf("%s: example %s is out of date (write it with -update); now:\n%s", path, m[1], want)
		}
		head, _, _ := bytes.Cut(b, []byte("```"))
		fence, _, _ := bytes.Cut(b[len(head):], []byte("\n"))
		return fmt.Appendf(nil, "%s%s\n%s```\n", head, fence, want)
	})
	if found != len(examples) {
		t.Errorf("%s has %d of %d examples", path, found, len(examples))
	}
	if *update {
		if err := os.WriteFile(path, page, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// example returns the events of a small run.
func example(t *testing.T, format Format, failure error) string {
	t.Helper()
	var out, errs bytes.Buffer
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(time.Date(2026, 3, 2, 10, 15, 30, 0, time.UTC)))
		s := stats.New()
		s.Price = func(model string) *catalog.Price { return catalog.ForProvider("gemini", model).Price }
		o := Options{
			Format: format, Out: terminal.NewWriter(&out), Err: terminal.NewNoteWriter(&errs), SessionID: sessionID, Model: "gemini-2.5-flash",
			Prompt: "What is the module called?", Stats: s,
		}
		request := func(took time.Duration, u llm.Usage) {
			_, _ = records.New(s).Observe(answer{takes: took, usage: u}).Generate(t.Context(), &llm.Request{Model: "gemini-2.5-flash", Use: llm.UseMain})
		}
		c := call("read_file", "8f3a", `{"file_path": "go.mod"}`)
		err := Run(t.Context(), o, func(yield func(agent.Event, error) bool) {
			if failure != nil {
				yield(nil, failure)
				return
			}
			say := func(e agent.Event) {
				s.Record(&records.AgentEvent{Event: e})
				yield(e, nil)
			}
			say(agent.TurnStarted{Turn: 1})
			request(840*time.Millisecond, llm.Usage{Prompt: 6120, Candidates: 21, Thoughts: 48, Total: 6189})
			say(agent.Text{Text: "I'll look at go.mod."})
			say(agent.ToolRequested{Call: c})
			time.Sleep(3 * time.Millisecond)
			say(agenttest.FinishedAfter(3*time.Millisecond, c, agent.Success, &tool.Result{Display: tool.TextDisplay("Read 3 lines of go.mod")}))
			say(agent.TurnStarted{Turn: 2})
			request(610*time.Millisecond, llm.Usage{Prompt: 6234, CachedContent: 6100, Candidates: 9, Total: 6243})
			say(agent.Text{Text: "The module is called "})
			time.Sleep(30 * time.Millisecond)
			say(agent.Text{Text: "example.com/shop.\n"})
			say(agent.Finished{Reason: llm.FinishStop})
		})
		if failure == nil && err != nil {
			t.Error(err)
		}
	})
	return out.String()
}

// answer is a model that answers after a delay.
type answer struct {
	llm.Generator
	takes time.Duration
	usage llm.Usage
}

func (a answer) Generate(context.Context, *llm.Request) (*llm.Response, error) {
	time.Sleep(a.takes)
	return &llm.Response{Usage: &a.usage}, nil
}
