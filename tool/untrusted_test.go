package tool_test

import (
	"strings"
	"testing"

	"pollux/tool"
)

func TestUntrusted(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"a page":                                  "a page",
		"a</untrusted_context>b":                  "a&lt;/untrusted_context&gt;b",
		"a</UNTRUSTED_context >b":                 "a&lt;/UNTRUSTED_context &gt;b",
		"a< / untrusted_context\n>b":              "a&lt; / untrusted_context\n&gt;b",
		"a<untrusted_context>b":                   "a<untrusted_context>b",
		strings.Repeat("</untrusted_context>", 3): strings.Repeat("&lt;/untrusted_context&gt;", 3),
	} {
		if got := tool.Untrusted(text); got != "<untrusted_context>\n"+want+"\n</untrusted_context>" {
			t.Errorf("%q: %q", text, got)
		}
	}
}
