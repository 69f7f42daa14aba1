package tuitest

import (
	"slices"
	"strings"
	"testing"
	"time"

	"pollux/internal/terminal"
)

func TestCast(t *testing.T) {
	t.Parallel()
	c := NewCast(20, 4)
	c.Output([]byte("one <"))
	c.Output([]byte(">\r\n"))
	c.Pass(1500 * time.Millisecond)
	c.Output([]byte(terminal.Queries + "\xe6\xbd")) // a character in two parts
	c.Mark("First")
	c.Pass(250 * time.Millisecond)
	c.Output([]byte("x"))
	if c.Bytes() != 5+3+len(terminal.Queries)+2+1 {
		t.Errorf("%d bytes", c.Bytes())
	}
	c = NewCast(20, 4)
	c.Output([]byte("one <"))
	c.Output([]byte(">\r\n"))
	c.Pass(1500 * time.Millisecond)
	c.Output([]byte(terminal.Queries + "a\xe6\xbd"))
	c.Pass(250 * time.Millisecond)
	c.Output([]byte("\xae\x1b]0;title\x07"))
	c.Mark("First")
	c.Output([]byte("b"))
	want := `{"version":2,"width":20,"height":4,"title":"T","env":{"TERM":"xterm-256color"}}
[0,"o","one <>\r\n"]
[1.5,"o","a"]
[1.75,"o","潮\u001b]0;title\u0007"]
[1.75,"m","First"]
[1.75,"o","b"]
`
	got := string(c.Encode("T"))
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	marks, duration, err := Replay([]byte(got))
	if err != nil || duration != 1750*time.Millisecond || len(marks) != 1 || marks[0].Label != "First" || !slices.Equal(marks[0].Rows.Text(), []string{"one <>", "a潮"}) {
		t.Errorf("%+v, %v, %v", marks, duration, err)
	}
}

func TestFrameTime(t *testing.T) {
	t.Parallel()
	c := NewCast(20, 4)
	c.SetFrameTime(time.Second)
	c.Output([]byte("a"))
	c.Output([]byte("b")) // at once, or a frame later on a busy machine
	c.arrived = time.Time{}
	c.Output([]byte("c"))
	c.SetFrameTime(0)
	c.arrived = time.Time{}
	c.Output([]byte("d"))
	if first, last := c.events[0].at, c.events[len(c.events)-1].at; first != time.Second || last != 2*time.Second && last != 3*time.Second {
		t.Errorf("from %v to %v", first, last)
	}
}

// TestReplayQuery checks that the replies of the terminal do not hold the replay up.
func TestReplayQuery(t *testing.T) {
	t.Parallel()
	_, _, err := Replay([]byte(`{"version":2,"width":9,"height":2}` + "\n" + `[1,"o","` + strings.Repeat(`\u001b[c`, 1000) + `"]`))
	if err != nil {
		t.Error(err)
	}
}

func TestReplayErrors(t *testing.T) {
	t.Parallel()
	const head = `{"version":2,"width":9,"height":2}` + "\n"
	for _, recording := range []string{
		"", "x", `{"version":1,"width":9,"height":2}`, `{"version":2,"width":0,"height":2}`, `{"version":2,"width":9}`,
		head + "x", head + `{}`, head + `[]`, head + `[1,"o"]`, head + `["1","o",""]`, head + `[1,"i",""]`, head + `[1,2,""]`, head + `[1,"o",3]`,
		head + `[2,"o",""]` + "\n" + `[1,"o",""]`, head + "[1,\"o\",\"\ufffd\"]",
	} {
		if _, _, err := Replay([]byte(recording)); err == nil {
			t.Errorf("no error: %s", recording)
		}
	}
	if _, _, err := Replay([]byte(head)); err != nil {
		t.Error(err)
	}
}
