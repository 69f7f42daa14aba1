package transcript

import (
	"testing"

	"pollux/agent"
	"pollux/internal/face/kit"
	"pollux/internal/face/tui/styled"
	"pollux/llm"
	"pollux/tool"
)

// TestPictures checks that images stand below the prompts and calls that they belong to, whenever they are ready.
func TestPictures(t *testing.T) {
	t.Parallel()
	tr := Transcript{Look: Look{Width: 60}}
	puts := map[string]func([]styled.Line){}
	tr.Options.Mentioned = func(string) []Picture {
		return []Picture{{Path: "a.png", Name: "a.png"}, {Path: "b.png", Name: "b.png"}}
	}
	tr.Options.Picture = func(p Picture, put func([]styled.Line)) {
		puts[p.Name] = func(lines []styled.Line) { put(lines) }
	}
	put := func(name string) { puts[name]([]styled.Line{styled.Plain("<" + name + ">")}) }
	want := func(text string) {
		t.Helper()
		if got := sequences(tr.Take()); got != text {
			t.Errorf("%q, not %q", got, text)
		}
	}
	tr.Prompt("/command @a.png")
	want("> /command @a.png|")
	tr.Prompt("go")
	tr.Info("note")
	want("|> go|")
	put("b.png")
	want("")
	put("a.png")
	want("<a.png>|<b.png>||ℹ note|")

	call := callOf("read_file", "1")
	tr.run(agent.ToolRequested{Call: call}, began(call, tool.KindRead, "c.png"))
	image := llm.Part{InlineData: &llm.Blob{MIMEType: "image/png", Data: []byte("c")}}
	tr.run(done(call, &tool.Result{Summary: "1 KB", Content: []llm.Part{llm.Text("c"), image, image}}))
	tr.Info("behind")
	put("c.png (2)")
	want("|  ✓ read_file  c.png  → 1 KB|")
	put("c.png")
	want("<c.png>|<c.png (2)>||ℹ behind|")

	tr.Prompt("last")
	tr.Handle(kit.Finished{}, start)
	tr.Info("end")
	tr.DropPictures()
	want("|> last||ℹ end|")
}

// TestPendingObjects checks that marks and images take no rows of the live area.
func TestPendingObjects(t *testing.T) {
	t.Parallel()
	tr := Transcript{Look: Look{Width: 60, HasMarks: true}}
	call := callOf("run_shell_command", "1")
	tr.run(agent.ToolRequested{Call: call}, began(call, tool.KindExecute, "sleep"))
	tr.Prompt("meanwhile")
	pending := tr.Pending(20, start)
	if got := sequences(pending[len(pending)-2:]); got != "|> meanwhile|" {
		t.Errorf("%q", got)
	}
}
