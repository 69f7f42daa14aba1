package agent

import (
	"math"
	"strings"
	"testing"

	"pollux/llm"
)

// The usage that a model reports counts, unless no tokenizer explains it.
func TestCount(t *testing.T) {
	t.Parallel()
	words := Message{Content: llm.User(llm.Text(strings.Repeat("word ", 50_000)))}
	page := Message{Content: llm.User(llm.Text(strings.Repeat("word ", 500)))}
	film := Message{Content: llm.User(llm.Part{FileData: &llm.FileData{MIMEType: "video/mp4", FileURI: "file"}})}
	shot := Message{Content: llm.User(llm.Part{FunctionResponse: &llm.FunctionResponse{
		Name: "look", Parts: []llm.Part{{InlineData: &llm.Blob{MIMEType: "image/png", Data: make([]byte, 9)}}},
	}})}
	answer := llm.Model(llm.Text("answer"))
	guess := words.Content.Tokens() + 1000 + answer.Tokens()
	for _, c := range []struct {
		name    string
		history []Message
		usage   *llm.Usage
		want    int
	}{
		{"none", []Message{words}, nil, guess},
		{"no prompt", []Message{words}, &llm.Usage{Candidates: 5}, guess},
		{"less than nothing", []Message{words}, &llm.Usage{Prompt: -70_000}, guess},
		{"no prompt, and little else", nil, &llm.Usage{Candidates: 5}, 1000 + answer.Tokens()},
		{"plausible", []Message{words}, &llm.Usage{Prompt: 70_000}, 70_000},
		{"few letters to a token", []Message{words}, &llm.Usage{Prompt: 150_000}, 150_000},
		{"many", []Message{words}, &llm.Usage{Prompt: 14_000}, 14_000},
		{"too much", []Message{words}, &llm.Usage{Prompt: 5_000_000}, guess},
		{"any number", []Message{words}, &llm.Usage{Prompt: math.MaxInt}, guess},
		{"too little", []Message{words}, &llm.Usage{Prompt: 500}, guess},
		{"too little of little", []Message{page}, &llm.Usage{Prompt: 300}, page.Content.Tokens() + 1000 + answer.Tokens()},
		{"too little of nothing", nil, &llm.Usage{Prompt: 9}, 9},
		{"a short prompt in a long frame", nil, &llm.Usage{Prompt: 9000}, 9000},
		{"a film", []Message{film}, &llm.Usage{Prompt: 900_000}, 900_000},
		{"an image in a result", []Message{words, shot}, &llm.Usage{Prompt: 900}, 900},
	} {
		conv := &conversation{overhead: 1000}
		conv.load(t.Context(), c.history)
		if got := conv.countTokens(c.usage, answer); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

// A loaded history counts as no more than its model has reported.
func TestCountLoaded(t *testing.T) {
	t.Parallel()
	page := Message{Content: llm.User(llm.Part{InlineData: &llm.Blob{MIMEType: "application/pdf", Data: []byte("%PDF")}}, llm.Text("What is it?"))}
	answer := func(prompt int) Message {
		return Message{Content: llm.Model(llm.Text("A page.")), Usage: &llm.Usage{Prompt: prompt}}
	}
	next := Message{Content: llm.User(llm.Text("And now?"))}
	estimate := 1000 + page.Content.Tokens() + next.Content.Tokens() + answer(0).Content.Tokens()
	added := answer(0).Content.Tokens() + next.Content.Tokens()
	for _, c := range []struct {
		name   string
		answer Message
		want   int
	}{
		{"not reported", answer(0), estimate},
		{"fewer", answer(1300), 1300 + added},
		{"more, of a history that was shortened", answer(90_000), estimate},
	} {
		conv := &conversation{}
		conv.load(t.Context(), []Message{page, c.answer, next})
		conv.markPrompt()
		conv.countOverhead(func() int { return 1000 })
		if conv.tokens != c.want || conv.promptTokens != c.want {
			t.Errorf("%s: %d and %d, want %d", c.name, conv.tokens, conv.promptTokens, c.want)
		}
	}
}
