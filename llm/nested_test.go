package llm_test

import (
	"strings"
	"testing"

	"pollux/llm"
)

func TestIsNested(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"":                                    false,
		"[[1]]":                               false,
		`{"a":{"b":1},"c":[{}]}`:              true,
		`{"a":{"b":1},"c":[]}`:                false,
		"[[[":                                 true,
		`["[[[[", "\"[[[[", "\\\\", []]`:      false,
		`["\\\\", [[]]]`:                      true,
		strings.Repeat("[]", 1000):            false,
		strings.Repeat("[", 1_000_000):        true,
		`"` + strings.Repeat("[", 1000) + `"`: false,
		`"` + strings.Repeat("[", 1000):       false,
	} {
		if got := llm.IsNested([]byte(text), 2); got != want {
			t.Errorf("%.40s: %v", text, got)
		}
	}
}
