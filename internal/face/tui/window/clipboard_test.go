package window

import (
	"errors"
	"strings"
	"testing"

	"github.com/charmbracelet/x/vt"
)

func TestCopy(t *testing.T) {
	t.Parallel()
	if got, err := plain.Copy("é\n\x1b"); got != "\x1b]52;c;w6kKGw==\a" || err != nil {
		t.Errorf("%q %v", got, err)
	}
	if got, err := plain.Copy(""); got != "" || !errors.Is(err, ErrNoText) {
		t.Errorf("no text: %q %v", got, err)
	}
	largest := strings.Repeat("x", 74_994)
	sequence, err := plain.Copy(largest)
	if err != nil || len(sequence) != 100_000 {
		t.Errorf("the largest text: %d bytes, %v", len(sequence), err)
	}
	for _, m := range []Terminal{tmux, screen} {
		if got, err := m.Copy(largest); err != nil || unwrap(t, m, got) != sequence {
			t.Errorf("%s: %d bytes, %v", m.Multiplexer, len(got), err)
		}
	}
	if got, err := plain.Copy(largest + "x"); got != "" || !errors.Is(err, ErrTooLarge) {
		t.Errorf("too large: %d bytes, %v", len(got), err)
	}
}

// TestEmulator checks that a terminal shows nothing of the sequences, and takes the title.
func TestEmulator(t *testing.T) {
	t.Parallel()
	e := vt.NewEmulator(80, 4)
	title := ""
	e.SetCallbacks(vt.Callbacks{Title: func(s string) { title = s }})
	copied, err := plain.Copy("text")
	if err != nil {
		t.Fatal(err)
	}
	all := copied + PromptStart + InputStart + OutputStart + OutputEnd(0) + (&Titler{}).Set(Title{Context: "dir"})
	for _, method := range []string{"osc9", "osc777", "bell"} {
		all += plain.Notification(method, Notice{"a", "b", "c"})
	}
	for _, m := range []Terminal{{Name: "kitty"}, tmux} {
		all += m.Notification("auto", Notice{"a", "b", strings.Repeat("é", 180)})
	}
	if _, err := e.WriteString(all + "end"); err != nil {
		t.Fatal(err)
	}
	if got := strings.TrimSpace(e.String()); got != "end" || strings.TrimRight(title, " ") != "◇  Ready (dir)" {
		t.Errorf("%q with the title %q", got, title)
	}
}

func TestAsk(t *testing.T) {
	t.Parallel()
	if got := AskText + AskClipboard(".") + AskClipboard("image/png\x1b"); got != "\x1b]52;c;?\a\x1b]5522;type=read;Lg==\x1b\\\x1b]5522;type=read;aW1hZ2UvcG5nGw==\x1b\\" {
		t.Errorf("%q", got)
	}
}
