package terminal

import (
	"fmt"
	"io"
	"os"
	"testing"

	"github.com/creack/pty"
)

func getenv(vars map[string]string) func(string) string {
	return func(name string) string { return vars[name] }
}

func TestNewOnPipes(t *testing.T) {
	t.Parallel()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	term := New(r, w, w, getenv(nil))
	if term.InTTY || term.OutTTY || term.ErrTTY || term.Width != 0 {
		t.Errorf("a pipe is taken for a terminal: %+v", term)
	}
	if term.OutColor() || term.ErrColor() {
		t.Error("a pipe is coloured")
	}
}

func TestNewOnTerminal(t *testing.T) {
	t.Parallel()
	_, tty := openTTY(t)
	if err := pty.Setsize(tty, &pty.Winsize{Rows: 24, Cols: 97}); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		env   map[string]string
		color bool
	}{
		{nil, true},
		{map[string]string{"NO_COLOR": ""}, true},
		{map[string]string{"NO_COLOR": "1"}, false},
		{map[string]string{"TERM": "dumb"}, false},
	} {
		term := New(tty, tty, tty, getenv(tt.env))
		if !term.InTTY || !term.OutTTY || !term.ErrTTY || term.Width != 97 {
			t.Errorf("the terminal is not recognised: %+v", term)
		}
		if term.OutColor() != tt.color || term.ErrColor() != tt.color {
			t.Errorf("%v: colours are %v, want %v", tt.env, term.OutColor(), tt.color)
		}
	}
}

// The width follows the window, and is 0 where lines are not to be broken.
func TestOutWidth(t *testing.T) {
	t.Parallel()
	_, tty := openTTY(t)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	term := New(tty, tty, w, getenv(nil))
	watched := *term
	watched.Out = NewWriter(wrapped{term.Out.Unsanitized()})
	for _, columns := range []int{80, 40, 0} {
		if err := pty.Setsize(tty, &pty.Winsize{Rows: 24, Cols: uint16(columns)}); err != nil {
			t.Fatal(err)
		}
		if watched.OutWidth() != columns || watched.ErrWidth() != 0 {
			t.Errorf("widths %d and %d, want %d and 0", watched.OutWidth(), watched.ErrWidth(), columns)
		}
	}
	if err := pty.Setsize(tty, &pty.Winsize{Rows: 24, Cols: 80}); err != nil {
		t.Fatal(err)
	}
	term.SetWrapping(false)
	if got := watched.OutWidth(); got != 0 {
		t.Errorf("width %d without wrapping", got)
	}
}

func BenchmarkOutWidth(b *testing.B) {
	_, tty := openTTY(b)
	term := New(tty, tty, tty, getenv(nil))
	for b.Loop() {
		term.OutWidth()
	}
}

func TestTest(t *testing.T) {
	t.Parallel()
	term, out, errs := Test("in")
	fmt.Fprint(term.Out, "out")
	fmt.Fprint(term.Err, "err")
	in, err := io.ReadAll(term.In)
	if err != nil || string(in) != "in" || out.String() != "out" || errs.String() != "err" {
		t.Errorf("got %q, %q, %q, %v", in, out, errs, err)
	}
}
