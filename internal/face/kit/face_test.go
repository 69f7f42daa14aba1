package kit_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"pollux/agent"
	"pollux/internal/face/kit"
	"pollux/internal/session"
	"pollux/internal/terminal"
)

// face is a whole face: it draws the events of a driver, a line each, and answers questions with a line each.
type face struct {
	*kit.Driver
	in    *bufio.Scanner
	out   io.Writer
	calls kit.Calls
	after func(e kit.Event) // what the person does meanwhile
}

// talk opens a session and shows it until the person leaves.
func (f *face) talk(ctx context.Context, o session.Options) error {
	f.Driver = kit.New(kit.Options{Open: func(ctx context.Context, d *kit.Driver) (kit.Session, error) {
		return kit.Open(ctx, d, o, &terminal.Terminal{}, "")
	}})
	defer f.Close()
	ended := make(chan error)
	go func() { ended <- f.Run(ctx) }()
	for e := range f.Events() {
		f.draw(e)
		f.after(e)
	}
	return <-ended
}

func (f *face) draw(e kit.Event) {
	switch e := e.(type) {
	case kit.Warning:
		fmt.Fprintln(f.out, "!", e.Text)
	case kit.Notice:
		fmt.Fprintln(f.out, "#", e.Text)
	case kit.Queued:
		fmt.Fprintln(f.out, "queued:", e.Text)
	case kit.NotSent:
		fmt.Fprintln(f.out, "not sent:", e.Text)
	case kit.Failed:
		fmt.Fprintln(f.out, "error:", e.Err)
	case kit.Cancelled:
		fmt.Fprintln(f.out, "cancelled")
	case kit.CommandDone:
		fmt.Fprintln(f.out, strings.TrimSpace(e.Result.Text))
	case kit.Ran:
		hasBegun := f.calls.Observe(e.Event)
		switch e := e.Event.(type) {
		case agent.Text:
			fmt.Fprintln(f.out, "model:", e.Text)
		case agent.Joined:
			fmt.Fprintln(f.out, "joined:", e.Text())
		case agent.ToolUpdated:
			if call := f.calls.Get(e.Call); hasBegun {
				fmt.Fprintln(f.out, "runs:", call.Label(nil))
			}
		}
	case kit.Asked:
		f.ask(e.Question)
	}
}

// ask puts a question and answers it with the next line of the person.
func (f *face) ask(q *kit.Question) {
	fmt.Fprintf(f.out, "? %s\n", strings.TrimSpace(q.Title+" "+q.Prompt))
	for _, line := range q.Warnings {
		fmt.Fprintln(f.out, " ", line)
	}
	for _, o := range q.Options {
		fmt.Fprintf(f.out, "  %s: %s\n", o.Key, o.Label)
	}
	f.in.Scan()
	if o := q.Option(f.in.Text()); o != nil {
		f.Answer(q, o.Answer(""))
		return
	}
	answer, _ := q.Form[0].Parse(f.in.Text())
	f.Answer(q, q.Reply([]string{answer}))
}
