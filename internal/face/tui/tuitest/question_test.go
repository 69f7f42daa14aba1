package tuitest

import (
	"strings"
	"testing"
)

func TestQuestion(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		screen           string
		isShown, isReady bool
	}{
		{"", false, false},
		{"✦ Hello.\n────\n> Type your message", false, false},
		{"? a quotation\n────\n> Type your message", false, false},
		{"? a quotation\n▄▄▄▄\n> Type your message", false, false},
		{"? Shell Command\nmake\n  1. Allow once\n", true, false},
		{"? Shell\n\n? Shell Command\nmake\nEnter choose · Esc refuse\n? Waiting for your answer (0s)\n▄▄▄▄\n> x", true, true},
		{"? Shell Command\nmake\n  1. Allow once\nEnter choose · Esc refuse", true, true},
		{"? Ask User\nName\n\n> x\nEnter send · Esc cancel\n\nDraft: abc", true, true},
		{"? Ask User\nName\n\n> x\n\n\nDraft: abc", true, false},
		{"? Model\nWhich?\nEsc keeps auto.\n\n  1. auto", true, false},
		{"Password?\n? Shell Command\nmake\n\nA command has the keyboard. Shift+Tab to answer.", false, false},
		{"Enter it.\n? Shell Command\nmake", true, false},
	} {
		if isShown, isReady := question(strings.Split(c.screen, "\n")); isShown != c.isShown || isReady != c.isReady {
			t.Errorf("%q: %v, %v", c.screen, isShown, isReady)
		}
	}
}
