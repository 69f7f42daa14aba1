package agent

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pollux/llm"
)

// messagesOf returns a history with one message for each word: "u" a user's text, "m" a
// model's text, "c" a tool call, "r" its result, "t" a thought. A "-" after it adds an empty
// part; "0" is a message without parts.
func messagesOf(words string) []Message {
	var messages []Message
	for i, word := range strings.Fields(words) {
		id := fmt.Sprint(i)
		c := llm.Model(llm.Text(id))
		switch word[0] {
		case 'u':
			c = llm.User(llm.Text(id))
		case 'r':
			c = llm.User(llm.Part{FunctionResponse: llm.Output("", "look", "")})
		case 'c':
			c.Parts = append(c.Parts, llm.Part{FunctionCall: &llm.FunctionCall{Name: "look"}})
		case 't':
			c = llm.Model(llm.Part{Thought: true})
		case '0':
			c = llm.Model()
		}
		if strings.HasSuffix(word, "-") {
			c.Parts = append(c.Parts, llm.Text(""))
		}
		messages = append(messages, Message{ID: id, Content: c})
	}
	return messages
}

func TestCurated(t *testing.T) {
	t.Parallel()
	for words, want := range map[string]string{
		"":                   "",
		"u m u c r m":        "0 1 2 3 4 5",
		"u 0":                "0 1",
		"u t":                "0 1",
		"u m- u m":           "0 2 3",
		"u m m- m u m":       "0 4 5",
		"m- m u- m-":         "2",
		"u c- r m":           "0 1 2 3",
		"u m c m- c- r m":    "0 2 4 5 6",
		"u m- c r":           "0 2 3",
		"u c c- m r r m- m-": "0 1 2 4 5",
	} {
		messages := messagesOf(words)
		var got []string
		for _, m := range Curated(messages) {
			got = append(got, m.ID)
			i := slices.IndexFunc(messages, func(of Message) bool { return of.ID == m.ID })
			if before := messages[i].Content; isFromModel(m) && slices.ContainsFunc(m.Content.Parts, isEmptyPart) || !isInvalid(messages[i]) && m.Content != before {
				t.Errorf("%s: message %s is %+v", words, m.ID, m.Content)
			}
		}
		if got := strings.Join(got, " "); got != want {
			t.Errorf("%s: %s, want %s", words, got, want)
		}
	}
}

// The contents of a growing history are always those that Curated returns.
func TestHistoryGrows(t *testing.T) {
	t.Parallel()
	const words = "u m u m- u c- r m- c m m- c- r u t 0 m- u m m c c- m u- m"
	var h history
	for _, m := range messagesOf(words) {
		h.add(m)
		want := Curated(h.all)
		same := func(c *llm.Content, m Message) bool {
			return c.Text() == m.Content.Text() && len(c.Parts) == len(m.Content.Parts)
		}
		if !slices.EqualFunc(h.contents(), want, same) {
			t.Errorf("after message %s %d are sent, want %d", m.ID, len(h.contents()), len(want))
		}
	}
	for words, want := range map[string]int{"u m u m-": 2, "u m- m-": 0, "u m u c-": 4, "u m u c m-": 4} {
		h := history{dropPrompt: true}
		if h.set(messagesOf(words)); len(h.contents()) != want {
			t.Errorf("by the seeds' rule, %s: %d are sent, want %d", words, len(h.contents()), want)
		}
	}
}

// A valid conversation costs one check of each message.
func BenchmarkCurated(b *testing.B) {
	for _, n := range []int{10, 1000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			messages := messagesOf(strings.Repeat("u m c r m ", n/5))
			b.ReportAllocs()
			for b.Loop() {
				Curated(messages)
			}
		})
	}
}
