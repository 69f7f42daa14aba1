package conversation

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pollux/agent"
	"pollux/llm"
)

// list describes the items of a conversation, a line each.
func list(c *Conversation) string {
	names := map[Kind]string{Prompt: "prompt", Note: "note", Thought: "thought", Answer: "answer", Call: "call"}
	var b strings.Builder
	for i := range c.Len() {
		it := c.Item(i)
		if it.Kind != c.Kind(i) {
			return fmt.Sprintf("item %d is of two kinds", i)
		}
		text := strings.TrimSpace(it.Subject + " " + it.Text)
		if it.Call != nil {
			text = fmt.Sprintf("%s %s %s=%s", it.Call.Name, it.Call.Args, it.Call.Status, it.Call.Output)
		}
		fmt.Fprintf(&b, "%s: %s\n", names[it.Kind], strings.ReplaceAll(text, "\n", "|"))
	}
	return b.String()
}

type fixed struct {
	history []agent.Message
	calls   map[string][]agent.CallRecord
}

func (f *fixed) source() Source {
	return Live(func() []agent.Message { return f.history }, func() map[string][]agent.CallRecord { return f.calls })
}

func callOf(id string) llm.Part {
	return llm.Part{FunctionCall: &llm.FunctionCall{ID: id, Name: "tool" + id, Args: json.RawMessage(`{"a":1}`)}}
}

func resultOf(id, text string) llm.Part {
	return llm.Part{FunctionResponse: llm.Output(id, "tool"+id, text)}
}

func image(n int) llm.Part {
	return llm.Part{InlineData: &llm.Blob{MIMEType: "image/png", Data: make([]byte, n)}}
}

func full() *fixed {
	return &fixed{history: []agent.Message{
		{Content: llm.User(llm.Text("<session_context>\nNo one reads this."))},
		{IsPrompt: true, Shown: "See @a", Content: llm.User(llm.Text("See @a"), llm.Text("content of a"))},
		{
			Thoughts: []agent.Thought{{Subject: "One", Description: "first"}, {Subject: "Two"}},
			Content:  llm.Model(llm.Part{Text: "hidden", Thought: true}, llm.Text("I "), llm.Text("look."), callOf("1"), callOf("2"), llm.Text("And on."), callOf("3")),
		},
		{ID: "r", Content: llm.User(resultOf("1", "one"), image(7), llm.Part{FunctionResponse: llm.Failure("2", "tool2", "broken")}, llm.Text("A note of a hook."))},
		{IsPrompt: true, Content: llm.User(llm.Text("Look at this: "), image(3), llm.Part{FileData: &llm.FileData{MIMEType: "text/plain", FileURI: "gs://x"}})},
		{Content: llm.Model(llm.Text("  \n"))},
		{Content: llm.Model(llm.Text("Fine."))},
		{Content: llm.User(llm.Text("I have run this command myself."))},
	}}
}

func TestItems(t *testing.T) {
	t.Parallel()
	c := New(full().source())
	const want = `prompt: See @a
thought: One first
thought: Two
answer: I look.
call: tool1 {"a":1} success=one|[image/png, 7 bytes]
call: tool2 {"a":1} error=broken
answer: And on.
call: tool3 {"a":1} scheduled=
note: A note of a hook.
prompt: Look at this: |[image/png, 3 bytes]|[text/plain: gs://x]
answer: Fine.
note: I have run this command myself.
`
	if got := list(c); got != want {
		t.Errorf("the items are\n%s", got)
	}
	if got := c.Prompts(); !slices.Equal(got, []int{0, 9}) {
		t.Errorf("the prompts are %v", got)
	}
	last := 0
	for i := range c.Len() + 1 {
		if n := c.Start(i); i > 0 && n <= last || n > c.Size() {
			t.Errorf("item %d starts at %d of %d", i, n, c.Size())
		} else {
			last = n
		}
	}
	if last != c.Size() {
		t.Errorf("the end is at %d, not %d", last, c.Size())
	}
}

// TestRefresh compares a conversation that has followed changes of its source with one that is read at once.
func TestRefresh(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		f := &fixed{}
		c := New(f.source())
		ids := 0
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			before := list(c)
			switch rapid.SampledFrom([]string{"add", "add", "add", "cut", "replace"}).Draw(t, "step") {
			case "cut":
				f.history = f.history[:rapid.IntRange(0, len(f.history)).Draw(t, "kept")]
			case "replace":
				f.history = nil
			}
			for range rapid.IntRange(0, 3).Draw(t, "messages") {
				ids++
				f.history = append(slices.Clip(f.history), drawMessage(t, ids))
			}
			first := c.Refresh()
			got, want := list(c), list(New(f.source()))
			if got != want {
				t.Fatalf("the items are\n%s, not\n%s", got, want)
			}
			old, now := strings.SplitAfter(before, "\n"), strings.SplitAfter(got, "\n")
			for i := range min(first, len(old), len(now)) {
				if old[i] != now[i] {
					t.Fatalf("item %d has changed, not only those from %d on", i, first)
				}
			}
			if again := c.Refresh(); again != c.Len() {
				t.Fatalf("nothing new begins at %d of %d", again, c.Len())
			}
		}
	})
}

func drawMessage(t *rapid.T, id int) agent.Message {
	name := fmt.Sprint(id)
	switch rapid.SampledFrom([]string{"prompt", "answer", "call", "result"}).Draw(t, "message") {
	case "prompt":
		return agent.Message{IsPrompt: true, Content: llm.User(llm.Text("prompt " + name))}
	case "answer":
		return agent.Message{Content: llm.Model(llm.Text("answer " + name))}
	case "call":
		return agent.Message{Content: llm.Model(llm.Text("calling"), callOf("x"))}
	}
	return agent.Message{Content: llm.User(resultOf("x", "result "+name), llm.Text("note"))}
}
