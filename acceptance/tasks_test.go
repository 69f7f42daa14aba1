package acceptance

import "testing"

// protocols are the wires on which every task has to work.
var protocols = []string{"gemini", "vertex", "openai", "responses", "anthropic", "text", "ollama"}

// The same tasks, whoever the model is from.
func TestTasks(t *testing.T) { onEach(t, "tasks") }

func onEach(t *testing.T, dir string) {
	t.Parallel()
	for _, wire := range protocols {
		t.Run(wire, func(t *testing.T) {
			t.Parallel()
			switch {
			case wires[wire] == nil:
				t.Skipf("NOT PROVEN on %s: no such wire yet", wire)
			case wire == "responses":
				t.Skip("NOT PROVEN on responses: no setting chooses this protocol yet")
			}
			run(t, dir, wire)
		})
	}
}

// The same mishaps, too.
func TestBadInput(t *testing.T) { onEach(t, "badinput") }
