package agent

import (
	"testing"

	"pollux/llm"
)

func TestMessagesAfter(t *testing.T) {
	t.Parallel()
	a := New(Config{})
	if got := a.MessagesAfter(nil); len(got) != 0 {
		t.Errorf("%d messages of none", len(got))
	}
	list := []*llm.Content{llm.User(llm.Text("a")), llm.Model(llm.Text("b")), llm.User(llm.Text("c"))}
	for _, c := range list {
		a.conv.history.add(Message{Content: c})
	}
	for seen, want := range map[*llm.Content]int{nil: 3, list[0]: 2, list[1]: 1, list[2]: 0, llm.User(llm.Text("c")): 3} {
		if got := a.MessagesAfter(seen); len(got) != want {
			t.Errorf("%d messages, want %d", len(got), want)
		}
	}
}
