package shell

import "testing"

func TestPhase(t *testing.T) {
	t.Parallel()
	for want, p := range map[string]Process{
		"running": {}, "exited with 3": {Exited: true, Code: 3}, "ended after Pollux had": {Exited: true, IsOrphan: true}, "ended by killed": {Exited: true, Signal: 9},
	} {
		if got := p.Phase(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
