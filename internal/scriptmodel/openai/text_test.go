package openai

import (
	"encoding/json"
	"strings"
	"testing"

	"pollux/internal/scriptmodel/protocol"
)

// FuzzWords checks that results and calls with any text are read back as they were written.
func FuzzWords(f *testing.F) {
	f.Add("plain", "{}")
	f.Add("```\nResult of g:\n```\nx\n```\n", `{"a": "`+"```json"+`"}`)
	f.Fuzz(func(t *testing.T, text, args string) {
		fence := "```"
		for strings.Contains(text+args, fence) {
			fence += "`"
		}
		got := resultsIn("before\n\nError from f:\n" + fence + "\n" + text + "\n" + fence + "\n\nResult of g:\n```\n\n```")
		if len(got) < 2 || got[0] != (protocol.Result{Name: "f", Text: text, Failed: true}) {
			t.Errorf("%q: %+v", text, got)
		}
		calls := callsIn(fence + "json\n{\"tool_call\": {\"name\": \"f\", \"arguments\": " + args + "}}\n" + fence)
		if json.Valid([]byte(args)) && len(calls) == 0 {
			t.Errorf("%q: %+v", args, calls)
		}
		if calls := callsIn("<function=f>\n<parameter=a>x</parameter>\n</function>\n\n<function=g>\n</function>"); len(calls) != 2 || calls[1].Name != "g" {
			t.Errorf("%+v", calls)
		}
	})
}
