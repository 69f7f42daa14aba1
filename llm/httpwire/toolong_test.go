package httpwire

import (
	"slices"
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
		{"Request too large for m on tokens per minute (TPM): Limit 12000, Requested 15000, please reduce your message size", llm.RequestSize{Prompt: 15000, Window: 12000}},
		{"Invalid request: Your request exceeded model token limit: 131072 (requested: 150000)", llm.RequestSize{Prompt: 150000, Window: 131072}},
		{"prompt token count of 150000 exceeds the limit of 128000", llm.RequestSize{Prompt: 150000, Window: 128000}},
		{"length of prompt_tokens (40000) must be less than max_seq_len (32768).", llm.RequestSize{Prompt: 40000, Window: 32768}},
		{"Input validation error: `inputs` tokens + `max_new_tokens` must be <= 32769. Given: 30000 `inputs` tokens and 4096 `max_new_tokens`", llm.RequestSize{Prompt: 30000, Answer: 4096, Window: 32769}},
		{"Input validation error: `inputs` must have less than 32768 tokens. Given: 40000", llm.RequestSize{Prompt: 40000, Window: 32768}},
		{"'max_tokens' or 'max_completion_tokens' is too large: 8192. This model's maximum context length is 32768 tokens and your request has 30000 input tokens (8192 > 32768 - 30000).", llm.RequestSize{Prompt: 30000, Answer: 8192, Window: 32768}},
		{"the model is loaded with context length of only 4096 tokens, which is not enough", llm.RequestSize{Window: 4096}},
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

// TestIsTooLong checks sentences that are about the window in no known words, and
// those that only resemble them.
func TestIsTooLong(t *testing.T) {
	t.Parallel()
	tooLong := []string{
		"length of prompt_tokens (40000) must be less than max_seq_len (32768).",
		"prompt token count of 150000 exceeds the limit of 128000",
		"Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 4100 `inputs` tokens and 9 `max_new_tokens`",
		"Input validation error: `inputs` must have less than 32768 tokens. Given: 40000",
		"prompt too long; exceeded max context length by 4311 tokens",
		"Prompt length 40000 is greater than max_seq_len 32768",
		"Total tokens of image and text exceed max message tokens",
		"the length of messages exceeds the maximum input tokens",
		"Input tokens exceed the configured limit of 98304 tokens.",
		"Input length (40000) exceeds model's maximum context (32768)",
		"Input exceeds maximum sequence length",
		"Too many input tokens. Max input tokens: 8192, request input token count: 9000",
		"litellm.ContextWindowExceededError: litellm.BadRequestError: x",
		"Trying to keep the first 16153 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough.",
		"Reached context length of 4096 tokens with model that does not currently support mid-generation context overflow",
		"Request payload size exceeds the limit: 20971520 bytes.",
		"Prompt 超长",
		"token超过上限。对话历史+问题的字数太多，需要精简输入",
	}
	others := []string{
		"Post \"http://10.0.0.1/v1\": context deadline exceeded (Client.Timeout exceeded while awaiting headers)",
		"`max_tokens` must be greater than `thinking.budget_tokens`.",
		"max_tokens: Input should be less than or equal to 4096",
		"max_tokens: Input should be greater than 0",
		"max_tokens is too large: 8192. This model supports at most 4096 completion tokens",
		"Number of input tokens has exceeded your per-minute rate limit",
		"Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length 140 instead.",
		"Invalid 'tools[0].function.description': string too long. Expected a string with maximum length 1024",
		"messages.0.content.0.image.source.base64: image exceeds 5 MB maximum: 6000000 bytes > 5242880 bytes",
		"`max_tokens` must be less than or equal to `32768`, the maximum value is less than the `context_window` for this model",
		"输入参数 max_tokens 超出范围",
		"您的输入 token 额度已超过上限",
	}
	for i, message := range slices.Concat(tooLong, others) {
		if got := IsTooLong(message); got != (i < len(tooLong)) {
			t.Errorf("%s: %v", message, got)
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
