package acceptance

import (
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// What the model is shown, and what happens when it grows too much: GEMINI.md,
// summaries, masked results, loops.
func TestContext(t *testing.T) {
	t.Parallel()
	run(t, "context", "", func(*testscript.Env) error { return nil })
}
