package agent

import (
	"math"
	"strings"
	"testing"

	"pollux/llm"
)

func TestSizeIn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		words string
		want  size
	}{
		{"prompt is too long: 210000 tokens > 200000 maximum", size{210000, 0, 200000}},
		{"input length and `max_tokens` exceed context limit: 190000 + 65536 > 200000, decrease input length or `max_tokens` and try again", size{190000, 65536, 200000}},
		{"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).", size{1200000, 0, 1048576}},
		{"This model's maximum context length is 128000 tokens. However, your messages resulted in 130123 tokens (125000 in the messages, 5123 in the functions). Please reduce the length of the messages or functions.", size{130123, 0, 128000}},
		{"This model's maximum context length is 4096 tokens. However, you requested 4444 tokens (3932 in the messages, 512 in the completion).", size{3932, 512, 4096}},
		{"This endpoint's maximum context length is 32,768 tokens. However, you requested about 41,000 tokens", size{41000, 0, 32768}},
		{"Prompt contains 65673 tokens and 0 draft tokens, too large for model with 32768 maximum context length", size{65673, 0, 32768}},
		{"This model's maximum prompt length is 131072 but the request contains 537812 tokens.", size{537812, 0, 131072}},
		{"request (5000 tokens) exceeds the available context size (4096 tokens), try increasing it", size{5000, 0, 4096}},
		{`{"error":{"code":400,"message":"too large","n_prompt_tokens":5000,"n_ctx":4096}}`, size{5000, 0, 4096}},
		{"exceeds the available context size of 8192", size{0, 0, 8192}},
		{"Your input exceeds the context window of this model. Please adjust your input and try again.", size{}},
		{"maximum context length is 99999999999999999999999", size{}},
		{"", size{}},
	} {
		if got := sizeIn(c.words); got != c.want && !(c.want == size{} && !got.known()) {
			t.Errorf("%q: %+v, want %+v", c.words, got, c.want)
		}
	}
}

// Whatever a server says, no number is negative or beyond what an int holds.
func FuzzSizeIn(f *testing.F) {
	f.Add("prompt is too long: 210000 tokens > 200000 maximum")
	f.Add("1 + 2 > 3")
	f.Fuzz(func(t *testing.T, words string) {
		s := sizeIn(words)
		for _, n := range []int{s.prompt, s.answer, s.window} {
			if n < 0 || n > 1e12 {
				t.Errorf("%q: %+v", words, s)
			}
		}
	})
}

// A model's word about its usage counts, unless no tokenizer explains it.
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
		r := &run{Agent: New(Config{}), fixed: 1000}
		r.SetHistory(c.history)
		if got := r.count(c.usage, answer); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}
