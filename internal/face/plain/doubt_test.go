package plain

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pollux/agent"
	"pollux/tool"
)

// A doubtful command can be allowed only once, with the reason shown, even if rules
// allow it by now.
func TestDoubtful(t *testing.T) {
	bubble(t, func(t *testing.T) {
		o := titled
		o.IsAllowed = func(*agent.PreparedCall) bool { return true }
		var got []tool.Answer
		first, second, third := shellQuestion(), shellQuestion(), shellQuestion()
		third.Quoted = "the output of \"cat a\x1b[2J\""
		first.UntrustedFlags = []string{"--evil\x1b[2J", "http://x/" + strings.Repeat("a", 1000)}
		second.ModifiedBuildFiles = make([]string, 25)
		for i := range second.ModifiedBuildFiles {
			second.ModifiedBuildFiles[i] = "Makefile"
		}
		o.Run = asks(&got, first, second, third)
		p := sit(t, o)
		p.types("go")
		s := p.skips()
		if strings.Contains(s, "\x1b[2J") || !strings.Contains(s, "not from you: --evil, http://x/aaa") ||
			!strings.HasSuffix(s, "1 or y: Allow once\n2 or n: No, tell the model what to do differently\nAnswer, 1 to 2, or ? for help: ") {
			t.Errorf("sees %q", s)
		}
		p.answers("1")
		if s := p.skips(); !strings.Contains(s, "changed in this session: Makefile, ") || !strings.Contains(s, "and 5 more\n") {
			t.Errorf("sees %q", s)
		}
		p.answers("1")
		if s := p.skips(); strings.Contains(s, "\x1b[2J") || !strings.Contains(s, "Warning: these words stand in the output of \"cat a") {
			t.Errorf("sees %q", s)
		}
		p.answers("n")
		p.answers("")
		p.leaves()
		if want := []tool.Answer{{Outcome: tool.ProceedOnce}, {Outcome: tool.ProceedOnce}, {Outcome: tool.Cancel}}; !cmp.Equal(got, want) {
			t.Errorf("answered %+v", got)
		}
	})
}
