package llm

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"pollux/llm/tokens"
)

func TestEstimateParts(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("\tthe \"quick\" brown fox → 跳过 the lazy dog\n", 50)
	plain := EstimateTokens([]Part{Text(text)})
	image := &Blob{MIMEType: "image/png", Data: make([]byte, 5000)}
	nested := func(depth int) []Part {
		parts := []Part{{InlineData: image}}
		for range depth {
			parts = []Part{{FunctionResponse: &FunctionResponse{Response: json.RawMessage(`{}`), Parts: parts}}}
		}
		return parts
	}
	for _, tt := range []struct {
		name      string
		parts     []Part
		low, high int
	}{
		{"nothing", nil, 0, 0},
		{"empty text", []Part{Text("")}, 0, 0},
		{"a word", []Part{Text("hello")}, 1, 1},
		{"an image", []Part{{InlineData: image}}, 3000, 3000},
		{"a PDF", []Part{{InlineData: &Blob{MIMEType: "application/pdf"}}}, 25800, 25800},
		{"a PDF elsewhere", []Part{{FileData: &FileData{MIMEType: "application/pdf", FileURI: "gs://b/o"}}}, 25800, 25800},
		{"a sound", []Part{{InlineData: &Blob{MIMEType: "audio/wav", Data: make([]byte, 3000)}}}, 1000, 1000},
		{"an output is its text", []Part{{FunctionResponse: Output("id", "x", text)}}, plain, plain + 4},
		{"an error is its text", []Part{{FunctionResponse: Failure("id", "x", text)}}, plain, plain + 4},
		{"an answer of another form is its JSON", []Part{{FunctionResponse: &FunctionResponse{
			Name: "x", Response: json.RawMessage(`{"content":` + string(AppendString(nil, text)) + `}`),
		}}}, plain + 100, plain * 2},
		{"a call is its arguments", []Part{{FunctionCall: &FunctionCall{Name: "read_file", Args: json.RawMessage(`{"file_path":"/tmp/a.txt"}`)}}}, 8, 14},
		{"an image in a result", nested(1), 3000, 3002},
		{"at the third depth", nested(3), 3000, 3006},
		{"too deep", nested(4), 0, 8},
	} {
		if n := EstimateTokens(tt.parts); n < tt.low || n > tt.high {
			t.Errorf("%s: %d tokens, want %d to %d", tt.name, n, tt.low, tt.high)
		}
	}
}

// Tokens are worked out once: a message does not change.
func TestTokensAreKept(t *testing.T) {
	t.Parallel()
	c := User(Text(strings.Repeat("word ", 100)))
	first := c.Tokens()
	c.Parts = nil
	if again := c.Tokens(); again != first || first < 85 || first > 115 {
		t.Errorf("%d, then %d tokens", first, again)
	}
}

func TestEstimateDoesNotAllocate(t *testing.T) {
	parts := []Part{
		Text("plain and 中文 and \xff\x00"),
		{FunctionResponse: Output("id", "name", "a\nb\t\"c\" → \x01")},
		{FunctionCall: &FunctionCall{Name: "x", Args: json.RawMessage(`{"a":1}`)}},
	}
	EstimateTokens(parts)
	if n := testing.AllocsPerRun(100, func() { EstimateTokens(parts) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// A text costs the same as an output as it does by itself, and no result fails.
func FuzzResult(f *testing.F) {
	f.Add("hello, world\n")
	f.Add("\xff\xfe\x00\x80 \\u12 \\ud800")
	f.Add("历史 café 🎉 \u200d\u0301")
	f.Fuzz(func(t *testing.T, text string) {
		resultCost([]byte(`{"output":"` + text))
		if !utf8.ValidString(text) || strings.Contains(text, "\r") {
			return
		}
		if plain, in := tokens.OfText(text), resultCost(Output("", "", text).Response); plain != in {
			t.Errorf("%q costs %d, and %d in a result", text, plain, in)
		}
	})
}
