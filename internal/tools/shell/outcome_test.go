//go:build unix

package shell

import (
	"strings"
	"testing"

	"pollux/agent"
	"pollux/agent/mask"
	"pollux/llm"
)

// TestOutcomeIsKept: a masked result keeps each line behind the output that the tool's description names.
func TestOutcomeIsKept(t *testing.T) {
	t.Parallel()
	_, lines, _ := strings.Cut(spec.Description, "only where they apply:\nOutput: ")
	_, lines, _ = strings.Cut(lines, "\n")
	if strings.Count(lines, "\n") < 6 {
		t.Fatalf("the description names too few lines: %q", lines)
	}
	m := mask.New(mask.Options{Protect: 1, Batch: 1, Save: func(_, _, _ string) (string, error) { return "/saved", nil }})
	for line := range strings.Lines(lines) {
		label, _, _ := strings.Cut(line, ": ")
		result := untrustedBegin + "Output: " + strings.Repeat("a long line\n", 10_000) + "\n" + label + ": kept" + untrustedEnd
		if label == "Hint" {
			result = untrustedBegin + "Output: " + strings.Repeat("a long line\n", 10_000) + untrustedEnd + "\nHint: kept"
		}
		part := func(text string) agent.Message {
			return agent.Message{Content: &llm.Content{Role: llm.RoleUser, Parts: []llm.Part{{FunctionResponse: llm.Output(label, name, text)}}}}
		}
		masked, _ := m.Mask(t.Context(), []agent.Message{part(result), part(result), part("x")}, 1_000_000)
		if masked == nil || !strings.Contains(string(masked[0].Content.Parts[0].FunctionResponse.Response), label+": kept") {
			t.Errorf("%q is lost", label)
		}
	}
}
