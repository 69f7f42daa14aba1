package llmtest

import (
	"flag"
	"math/rand/v2"
	"strings"
	"testing"
)

// Chunks returns s in chunks of 1 to 16 bytes. cuts determines the sizes.
func Chunks(s string, cuts uint64) []string {
	var chunks []string
	for c := cuts; ; c = c>>4 | c<<60 {
		n := int(c&15) + 1
		if n >= len(s) {
			return append(chunks, s)
		}
		chunks, s = append(chunks, s[:n]), s[n:]
	}
}

// words are the pieces of random texts: white space, escapes, fences, and the tags and marks
// of calls and thoughts.
var words = []string{
	"a", "B", "é", "😀", " ", "  ", "\n", "\n\n", "\r\n", "\t", "\\", "\\n", "\"", "'", "''", "`", "``", "```", "```json\n", "\n```\n", "~~~", "\n~~~\n",
	"{", "}", "[", "]", "}}", ",", ":", ";", "<", ">", "</", ")", "- ", "1. ", "> ", "#", "//", "/*", "\x00", "\u2028", "{\"content\": \"", "content=",
	"<tool_call>", "</tool_call>", "[TOOL_CALLS]", "[ARGS]", "<|python_tag|>", "Result of save:",
	"<think>", "</think>", "<thinking>", "</thinking>", "<thi", "</thi", "nk>", "\n<think>", "\n</think>\n",
	"{\"tool_call\": {\"name\": \"save\", \"arguments\": {", "{\"name\": \"save\", ", "save(",
	"<function=save>", "</function>", "<parameter=content>", "<parameter=", "</parameter>", "<invoke name=\"save\">", "</invoke>", "<arg_key>", "</arg_value>",
}

// Random is a source of random texts and numbers.
type Random struct{ *rand.Rand }

// Text returns some words that mean something to parsers of models' answers, mostly few.
func (r Random) Text() string {
	var b strings.Builder
	for range r.IntN(1 + r.IntN(14)) {
		b.WriteString(words[r.IntN(len(words))])
	}
	return b.String()
}

// Repeat calls check as often as the flag -random sets. If the test fails, it logs the seed.
func Repeat(t *testing.T, check func(r Random)) {
	t.Helper()
	seed := rand.Uint64()
	r := Random{rand.New(rand.NewPCG(seed, 1))}
	defer func() {
		if t.Failed() {
			t.Logf("seed %d", seed)
		}
	}()
	for range *random {
		check(r)
	}
}

var random = flag.Int("random", 300, "random texts to test with")
