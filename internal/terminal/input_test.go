package terminal

import (
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
)

// openTTY opens a pseudo-terminal, or skips the test if the system has none.
func openTTY(t testing.TB) (master, tty *os.File) {
	t.Helper()
	master, tty, err := pty.Open()
	if err != nil {
		t.Skipf("no pseudo-terminal here: %v", err)
	}
	t.Cleanup(func() { _ = master.Close(); _ = tty.Close() })
	return master, tty
}

// openPTY is openTTY with a Terminal.
func openPTY(t *testing.T) (master *os.File, term *Terminal) {
	t.Helper()
	master, tty := openTTY(t)
	return master, New(tty, tty, tty, getenv(nil))
}

type read struct {
	text string
	err  error
}

// reads does one read after the other.
func reads(in *Input) <-chan read {
	got := make(chan read)
	go func() {
		defer close(got)
		p := make([]byte, 100)
		for {
			n, err := in.Read(p)
			got <- read{string(p[:n]), err}
			if err != nil {
				return
			}
		}
	}()
	return got
}

func TestInput(t *testing.T) {
	t.Parallel()
	master, term := openPTY(t)
	in := term.Input()
	got := reads(in)
	write := func(s string) {
		if _, err := io.WriteString(master, s); err != nil {
			t.Fatal(err)
		}
	}
	write("one\n")
	if r := <-got; r.text != "one\n" || r.err != nil {
		t.Fatalf("got %+v", r)
	}
	// While another program has the terminal, it alone gets the input.
	in.Pause()
	write("two\n")
	p := make([]byte, 100)
	if n, err := term.In.Read(p); string(p[:n]) != "two\n" || err != nil {
		t.Fatalf("got %q, %v", p[:n], err)
	}
	in.Resume()
	write("three\n")
	if r := <-got; r.text != "three\n" || r.err != nil {
		t.Fatalf("got %+v", r)
	}
	in.Close()
	in.Close()
	if r := <-got; !errors.Is(r.err, io.EOF) {
		t.Fatalf("got %+v", r)
	}
}

func TestInputClosedWhilePaused(t *testing.T) {
	t.Parallel()
	_, term := openPTY(t)
	in := term.Input()
	in.Pause()
	got := reads(in)
	in.Close()
	if r := <-got; !errors.Is(r.err, io.EOF) {
		t.Fatalf("got %+v", r)
	}
}

// A reader that is no file is read without changes.
func TestInputOfReader(t *testing.T) {
	t.Parallel()
	term, _, _ := Test("all of it")
	all, err := io.ReadAll(term.Input())
	if string(all) != "all of it" || err != nil {
		t.Errorf("got %q, %v", all, err)
	}
}

// Reading a file that cannot be waited for returns an error.
func TestInputOfClosedFile(t *testing.T) {
	t.Parallel()
	f, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	in := (&Terminal{In: f}).Input()
	_ = f.Close()
	if _, err := in.Read(make([]byte, 1)); err == nil {
		t.Error("a closed file can be read")
	}
}

func TestHide(t *testing.T) {
	t.Parallel()
	master, term := openPTY(t)
	editor, restore := term.Lend()
	if editor.In != term.In || editor.Out != term.Out.w || editor.Err != term.Err.w {
		t.Errorf("a program gets %+v", editor)
	}
	show, err := term.HideInput()
	if err != nil {
		t.Fatal(err)
	}
	say := func(s string) {
		if _, err := io.WriteString(master, s); err != nil {
			t.Fatal(err)
		}
		p := make([]byte, 100)
		if n, err := term.In.Read(p); string(p[:n]) != s || err != nil {
			t.Fatalf("got %q, %v", p[:n], err)
		}
	}
	say("secret\n")
	show()
	say("shown\n")
	if _, err := term.HideInput(); err != nil {
		t.Fatal(err)
	}
	restore() // whatever it was left in
	say("again\n")
	if _, err := term.HideInput(); err != nil {
		t.Fatal(err)
	}
	copied := *term
	copied.Restore() // by the code that ends the program
	say("at last\n")
	screen := ""
	p := make([]byte, 100)
	if err := master.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Log(err) // a hanging test is as good a failure
	}
	for !strings.Contains(screen, "last\r\n") {
		n, err := master.Read(p)
		if err != nil {
			t.Fatalf("after %q: %v", screen, err)
		}
		screen += string(p[:n])
	}
	if screen != "\r\nshown\r\nagain\r\nat last\r\n" {
		t.Errorf("the screen shows %q", screen)
	}
}

func TestHideWhereNothingIsShown(t *testing.T) {
	t.Parallel()
	term, _, _ := Test("")
	show, err := term.HideInput()
	if err != nil {
		t.Fatal(err)
	}
	show()
	editor, restore := term.Lend()
	restore()
	if editor.In != nil || editor.Out != term.Out.w {
		t.Errorf("a program gets %+v", editor)
	}
}
