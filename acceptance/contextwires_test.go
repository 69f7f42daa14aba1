package acceptance

import (
	"cmp"
	"fmt"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestContextWires checks that a conversation stays within the context window, on each protocol.
// Each model has a window of 16,000 tokens, and is its own small model.
func TestContextWires(t *testing.T) {
	t.Parallel()
	for _, wire := range protocols {
		t.Run(wire, func(t *testing.T) {
			t.Parallel()
			runFiles(t, onWire(t, "context/wires", wire), wire, func(env *testscript.Env) error {
				vars := wires[wire]
				model := cmp.Or(vars["OPENAI_MODEL"], vars["ANTHROPIC_MODEL"], vars["OLLAMA_MODEL"], "gemini-2.5-flash")
				more := ""
				if wire == "responses" {
					more = `"protocol": "responses", `
				}
				price := "" // unknown models need a setting for their cache
				if wire == "ollama" || wire == "text" {
					price = ", " + cached
				}
				profile := fmt.Sprintf(`{%s"imitated": false, "smallModel": %q, "models": [{"match": "*", "window": 16000%s}]}`, more, model, price)
				return settings(env, fmt.Sprintf(`{"modelProviders": {"gemini": %[1]s, "vertexai": %[1]s, "openai": %[1]s, "anthropic": %[1]s, "ollama": %[1]s}}`, profile))
			})
		})
	}
}
