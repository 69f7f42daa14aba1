package httpwire

import (
	"testing"

	"pollux/llm"
)

func TestParseSize(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		words string
		want  llm.RequestSize
	}{
		{"prompt is too long: 210000 tokens > 200000 maximum", llm.RequestSize{Prompt: 210000, Window: 200000}},
		{"input length and `max_tokens` exceed context limit: 190000 + 65536 > 200000, decrease input length or `max_tokens` and try again", llm.RequestSize{Prompt: 190000, Answer: 65536, Window: 200000}},
		{"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).", llm.RequestSize{Prompt: 1200000, Window: 1048576}},
		{"This model's maximum context length is 128000 tokens. However, your messages resulted in 130123 tokens (125000 in the messages, 5123 in the functions). Please reduce the length of the messages or functions.", llm.RequestSize{Prompt: 130123, Window: 128000}},
		{"This model's maximum context length is 4096 tokens. However, you requested 4444 tokens (3932 in the messages, 512 in the completion).", llm.RequestSize{Prompt: 3932, Answer: 512, Window: 4096}},
		{"This endpoint's maximum context length is 32,768 tokens. However, you requested about 41,000 tokens", llm.RequestSize{Prompt: 41000, Window: 32768}},
		{"Prompt contains 65673 tokens and 0 draft tokens, too large for model with 32768 maximum context length", llm.RequestSize{Prompt: 65673, Window: 32768}},
		{"This model's maximum prompt length is 131072 but the request contains 537812 tokens.", llm.RequestSize{Prompt: 537812, Window: 131072}},
		{"request (5000 tokens) exceeds the available context size (4096 tokens), try increasing it", llm.RequestSize{Prompt: 5000, Window: 4096}},
		{`{"error":{"code":400,"message":"too large","n_prompt_tokens":5000,"n_ctx":4096}}`, llm.RequestSize{Prompt: 5000, Window: 4096}},
		{"exceeds the available context size of 8192", llm.RequestSize{Window: 8192}},
		{"Your input exceeds the context window of this model. Please adjust your input and try again.", llm.RequestSize{}},
		{"maximum context length is 99999999999999999999999", llm.RequestSize{}},
		{"", llm.RequestSize{}},
	} {
		if got := ParseSize(c.words); got != c.want && !(c.want == llm.RequestSize{} && !got.Exceeds()) {
			t.Errorf("%q: %+v, want %+v", c.words, got, c.want)
		}
	}
}

// FuzzParseSize checks that no size is negative or overflows, for any message.
func FuzzParseSize(f *testing.F) {
	f.Add("prompt is too long: 210000 tokens > 200000 maximum")
	f.Add("1 + 2 > 3")
	f.Fuzz(func(t *testing.T, words string) {
		s := ParseSize(words)
		for _, n := range []int{s.Prompt, s.Answer, s.Window} {
			if n < 0 || n > 1e12 {
				t.Errorf("%q: %+v", words, s)
			}
		}
	})
}
