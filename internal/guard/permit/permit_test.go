package permit

import "testing"

func TestIsWalk(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]bool{
		"grep -r x ~": true, "cd /x && find . -name y | head -3": true, "ls ~/.ssh": true, "rg x | sort | uniq": true,
		"cat ~/.netrc": false, "head ~/.netrc": false, "grep x y; git push": false, "find . -exec cat {} +; ssh host": false, "": false,
	} {
		if got := isWalk(command); got != want {
			t.Errorf("%q: %v", command, got)
		}
	}
}
