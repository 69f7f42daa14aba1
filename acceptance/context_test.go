package acceptance

import (
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestContext tests the content of the context and its limits: GEMINI.md, summaries, masked
// results, loops.
func TestContext(t *testing.T) {
	t.Parallel()
	run(t, "context", "", func(*testscript.Env) error { return nil })
}
