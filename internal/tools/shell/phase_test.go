//go:build unix

package shell

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPhase(t *testing.T) {
	t.Parallel()
	for want, p := range map[string]Process{
		"running": {}, "exited with 3": {Exited: true, Code: 3}, "ended after Pollux had": {Exited: true, IsOrphan: true}, "ended by killed": {Exited: true, Signal: 9},
		"exited with 3, 0 in the pipe": {Exited: true, pipe: []string{"3", "0"}},
	} {
		if got := p.Phase(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// TestEnding checks the forms of the words about the end of a command.
func TestEnding(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		ending ending
		want   [3]string // verb, label, phase
	}{
		{ending{}, [3]string{"has ended with exit code 0", "(Exit Code: 0)", "exited with 0"}},
		{ending{code: 137}, [3]string{"has ended with exit code 137 (128 + SIGKILL)", "(Exit Code: 137)", "exited with 137"}},
		{ending{signal: 15}, [3]string{"was ended by SIGTERM", "(Signal: 15)", "ended by terminated"}},
		{ending{pipe: []string{"3", "0"}}, [3]string{"has ended with exit codes 3, 0 in the pipe", "(Exit Codes in the pipe: 3, 0)", "exited with 3, 0 in the pipe"}},
		{ending{signal: 15, reason: "it was late"}, [3]string{"was ended because it was late", "(ended because it was late)", "ended because it was late"}},
	} {
		if diff := cmp.Diff(c.want, [3]string{c.ending.verb(), c.ending.label(), c.ending.phase()}); diff != "" {
			t.Error(diff)
		}
		if got := c.ending.isSuccess(); got != (c.want[2] == "exited with 0") {
			t.Errorf("%+v: success %v", c.ending, got)
		}
	}
}
