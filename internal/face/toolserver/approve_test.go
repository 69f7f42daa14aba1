package toolserver

import (
	"slices"
	"strings"
	"testing"

	"pollux/internal/wording"
	"pollux/internal/wording/wordingtest"
)

// A person at the client reads everything that a person at a terminal reads before they decide.
func TestQuestionHasEveryLine(t *testing.T) {
	t.Parallel()
	short := func(path string) string { return path }
	for kind, details := range wordingtest.Approvals() {
		q, ok := newQuestion(details, short)
		if !ok {
			t.Errorf("%s: no question", kind)
		}
		lines := strings.Split(q.text, "\n")
		for _, line := range wording.Approval(details, wording.ApprovalOptions{ShortPath: short}) {
			if !slices.Contains(lines, line) {
				t.Errorf("%s: the question lacks %q:\n%s", kind, line, q.text)
			}
		}
		if q.lasting != "" {
			t.Errorf("%s: a call that a hook has changed can be allowed for the session", kind)
		}
	}
}
