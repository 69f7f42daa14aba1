package memory_test

import (
	"strings"
	"testing"

	"pollux/agent"
	"pollux/internal/memory"
	"pollux/llm"
)

// TestKeep checks that a file of a subdirectory is given again once the conversation no longer has it, and only then.
func TestKeep(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{
		"p/.git/": "", "p/GEMINI.md": "top", "p/a/GEMINI.md": "in \"a\" @./x.md", "p/a/x.md": "X", "p/b/GEMINI.md": "in b", "p/b/f.txt": "f",
	})
	m := memory.New(p.options())
	inA, inB := m.Discover(p.at("p/a")), m.Discover(p.at("p/b/f.txt"))
	if !strings.Contains(inA, "in \"a\"") || !strings.Contains(inB, "in b") {
		t.Fatalf("%q, %q", inA, inB)
	}
	message := func(parts ...llm.Part) agent.Message { return agent.Message{Content: llm.User(parts...)} }
	result := message(llm.Part{FunctionResponse: llm.Output("1", "read_file", "text"+inA)})

	m.Keep([]agent.Message{result, message(llm.Text("see" + inB))})
	if again := m.Discover(p.at("p/a"), p.at("p/b")); again != "" {
		t.Errorf("both are there: %q", again)
	}
	m.Keep([]agent.Message{message(llm.Text("a summary")), result})
	if again := m.Discover(p.at("p/a"), p.at("p/b")); again != inB {
		t.Errorf("b is gone: %q", again)
	}
	m.Keep([]agent.Message{message(llm.Text("a summary"))})
	if again := m.Discover(p.at("p/a")); again != inA {
		t.Errorf("a is gone: %q", again)
	}
	if again := m.Discover(p.at("p/b")); again != inB {
		t.Errorf("b is gone once more: %q", again)
	}
	p.wantFiles(m, "project p/GEMINI.md", "discovered p/a/GEMINI.md", "discovered p/b/GEMINI.md")
}
