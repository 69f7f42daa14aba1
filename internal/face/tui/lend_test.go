package tui

import (
	"slices"
	"testing"

	"pollux/internal/face/kit"
	"pollux/internal/face/tui/composer"
)

// TestReturnedWhileWriting checks that the editor's text does not replace the inputs that return while it is open.
func TestReturnedWhileWriting(t *testing.T) {
	for _, draft := range []string{"", "draft"} {
		l, _ := newTestLoop(t)
		l.composer.SetText(draft)
		l.composer.IsLent = true
		l.writing = &writing{end: func() {}, done: make(chan struct{}), text: "edited"}
		close(l.writing.done)
		l.takeBack(kit.NotSent{Texts: []string{"one", "second"}})
		l.waiting.hold(composer.Submitted{Draft: composer.Draft{Text: "/compress"}})
		l.returnHeld()
		l.endWriting()
		if got := l.composer.Value(); got != "edited" {
			t.Errorf("%q: the input has %q", draft, got)
		}
		if got := l.composer.Held(); !slices.Equal(got, []string{"one", "second", "/compress"}) {
			t.Errorf("%q: %q wait", draft, got)
		}
	}
}
