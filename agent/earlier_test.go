package agent

import (
	"encoding/json"
	"strings"
	"testing"

	"pollux/llm"
)

// TestEarlierResults checks which results of a history a tool gets.
func TestEarlierResults(t *testing.T) {
	t.Parallel()
	call := func(id, name, args string) llm.Part {
		return llm.Part{FunctionCall: &llm.FunctionCall{ID: id, Name: name, Args: json.RawMessage(args)}}
	}
	result := func(r *llm.FunctionResponse) llm.Part { return llm.Part{FunctionResponse: r} }
	media := llm.Output("m", "read", "a picture")
	media.Parts = []llm.Part{{InlineData: &llm.Blob{MIMEType: "image/png"}}}
	c := &conversation{}
	for _, content := range []*llm.Content{
		llm.User(llm.Text(strings.Repeat("long ago ", 20000))),
		llm.Model(call("1", "read", `{"n":1}`)),
		llm.User(result(llm.Output("1", "read", "one"))),
		llm.Model(call("1", "read", `{"n":2}`), call("x", "other", `{}`), call("f", "read", `{"n":3}`), call("m", "read", `{"n":4}`)),
		llm.User(result(llm.Output("1", "read", "two")), result(llm.Output("x", "other", "no")), result(llm.Failure("f", "read", "failed")), result(media)),
		llm.User(result(llm.Output("gone", "read", "no call"))),
		llm.Model(call("9", "read", `{"n":9}`)),
	} {
		c.history.add(Message{Content: content})
	}
	for tokens, want := range map[int]string{100_000: `{"n":2}two {"n":1}one `, 5000: `{"n":2}two {"n":1}one `, 0: ""} {
		got := ""
		for args, text := range earlierResults(c.tail(tokens), "read", func(name string) bool { return name == "edit" }) {
			got += string(args) + text + " "
		}
		if got != want {
			t.Errorf("%d tokens: got %q, want %q", tokens, got, want)
		}
	}
	c.history.add(Message{Content: llm.Model(call("e", "edit", `{}`), call("10", "read", `{"n":10}`))})
	c.history.add(Message{Content: llm.User(result(llm.Failure("e", "edit", "failed")), result(llm.Output("10", "read", "ten")))})
	got := ""
	for args, text := range earlierResults(c.tail(5000), "read", func(name string) bool { return name == "edit" }) {
		got += string(args) + text
	}
	if want := `{"n":10}ten`; got != want {
		t.Errorf("after an edit: got %q, want %q", got, want)
	}
	if n := len(c.tail(5000)); n != 8 {
		t.Errorf("%d messages at the end", n)
	}
}
