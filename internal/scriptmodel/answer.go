package scriptmodel

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// answer is a turn on its way to a client.
type answer struct {
	server *Server
	wire   wire
	asked  *asked
	turn   *Turn
	use    int // how often the turn was used, this time included
	w      http.ResponseWriter
	ctx    context.Context

	started bool
	said    int // characters, to estimate tokens
	usage   *Usage
	held    *piece // not sent yet: a finish reason may belong to it
	pieces  []piece
	open    bool // the turn's last step leaves nothing to add
}

// errGone says that nothing more is to be sent.
var errGone = fmt.Errorf("the client has gone")

// give plays the turn. It returns what is wrong with the script, if anything.
func (a *answer) give() (problem string) {
	for _, s := range a.turn.Steps {
		if err := a.play(s); err == errGone {
			return ""
		} else if err != nil {
			if !a.started {
				writeJSON(a.w, 400, a.wire.refusal(invalid("script: %v", err)))
			}
			return err.Error()
		}
	}
	if !a.open {
		_ = a.finish("STOP")
	}
	return ""
}

func (a *answer) play(s Step) error {
	a.open = false
	switch s := s.(type) {
	case Header:
		a.w.Header().Set(s.Name, s.Value)
	case Usage:
		a.usage = &s
	case Text:
		t, err := a.fill(s.Text, plainly)
		if err != nil {
			return err
		}
		return a.say(piece{text: t})
	case Think:
		return a.say(piece{thought: s.Text})
	case Fill:
		unit := s.Text
		if unit == "" {
			unit = "x"
		}
		return a.say(piece{text: strings.Repeat(unit, s.Size/len(unit)+1)[:s.Size]})
	case Call:
		return a.call(s)
	case Finish:
		err := a.finish(s.Reason)
		a.open = true
		return err
	default:
		// All that follows is sent at once, and nothing is added to it.
		a.open = true
		if err := a.release(); err != nil {
			return err
		}
		return a.misbehave(s)
	}
	return nil
}

func (a *answer) misbehave(s Step) error {
	switch s := s.(type) {
	case Delay:
		a.open = false
		return a.wait(s.For)
	case Hang:
		a.start(200)
		<-a.ctx.Done()
		panic(http.ErrAbortHandler) // returning would end the answer as if it were whole
	case Drop:
		panic(http.ErrAbortHandler) // net/http's way to break a connection
	case Frame:
		return a.write(a.framed([]byte(s.Data)))
	case Raw:
		return a.write(s.Data)
	case Page:
		a.w.Header().Set("Content-Type", "text/html")
		a.w.WriteHeader(s.Status)
		_, _ = a.w.Write([]byte(s.HTML))
		return errGone
	case Fail:
		body := a.wire.refusal(&refusal{status: s.Status, code: s.Code, message: s.Message, details: s.Details})
		if a.started {
			return a.write(a.framed(body))
		}
		writeJSON(a.w, s.Status, body)
		return errGone
	}
	return fmt.Errorf("%T is not a step", s)
}

func (a *answer) call(c Call) error {
	args, err := a.fill(c.Args, func(s string) string {
		b, _ := json.Marshal(s) // a string always can be
		return string(b[1 : len(b)-1])
	})
	if err != nil {
		return err
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, []byte(args)); err != nil {
		return fmt.Errorf("line %d: call %s: %w", a.turn.Line, c.Name, err)
	}
	if a.use > 1 && c.ID != "" {
		c.ID = fmt.Sprintf("%s-%d", c.ID, a.use)
	}
	if c.ID != "" {
		a.server.mu.Lock()
		a.server.issued[c.ID] = c.Signature
		a.server.mu.Unlock()
	}
	return a.say(piece{call: &sentCall{id: c.ID, name: c.Name, signature: c.Signature, args: compact.Bytes()}})
}

// fill puts values in the place of {{...}}.
func (a *answer) fill(s string, quote func(string) string) (string, error) {
	return expand(s, a.server.values(a.asked), quote)
}

func plainly(s string) string { return s }

// say sends the piece before this one and holds this one back: the reason why
// the answer ends goes with its last piece.
func (a *answer) say(p piece) error {
	if err := a.release(); err != nil {
		return err
	}
	a.held = &p
	return nil
}

func (a *answer) finish(reason string) error {
	last := piece{}
	if a.held != nil {
		last = *a.held
	}
	a.count(last)
	last.finish = reason
	if a.usage == nil {
		last.usage = &tokens{prompt: a.asked.size/4 + 1, candidates: a.said/4 + 1}
	} else if u := a.usage; !u.None {
		last.usage = &tokens{u.Prompt, u.Candidates, u.Cached, u.Thoughts, u.Tools}
	}
	a.held = nil
	if err := a.send(last); err != nil {
		return err
	}
	if a.asked.verb == generate {
		return a.write(a.wire.whole(a.asked, a.pieces))
	}
	return nil
}

// release sends what is held back.
func (a *answer) release() error {
	if a.held == nil {
		return nil
	}
	p := *a.held
	a.held = nil
	a.count(p)
	return a.send(p)
}

func (a *answer) count(p piece) {
	a.said += len(p.text) + len(p.thought)
	if p.call != nil {
		a.said += len(p.call.args)
	}
}

func (a *answer) send(p piece) error {
	if a.asked.verb == generate {
		a.pieces = append(a.pieces, p)
		return nil
	}
	for _, data := range a.wire.frames(a.asked, p) {
		if err := a.write(a.framed(data)); err != nil {
			return err
		}
	}
	return a.wait(a.turn.Pace)
}

// framed makes a frame of the stream, or nothing of it where there is none.
func (a *answer) framed(data []byte) []byte {
	if a.asked.verb != stream {
		return data
	}
	newline := a.turn.Newline
	if newline == "" {
		newline = "\r\n"
	}
	return []byte("data: " + string(data) + newline + newline)
}

func (a *answer) start(status int) {
	if a.started {
		return
	}
	a.started = true
	h := a.w.Header()
	if h.Get("Content-Type") == "" {
		h.Set("Content-Type", "application/json; charset=UTF-8")
		if a.asked.verb == stream {
			h.Set("Content-Type", "text/event-stream")
		}
	}
	a.w.WriteHeader(status)
	a.flush()
}

// write sends bytes, in as small pieces as the script wants.
func (a *answer) write(b []byte) error {
	a.start(200)
	size := a.turn.Split
	if size == 0 {
		size = len(b)
	}
	for len(b) > 0 {
		n := min(size, len(b))
		if _, err := a.w.Write(b[:n]); err != nil {
			return errGone
		}
		a.flush()
		b = b[n:]
	}
	return nil
}

func (a *answer) flush() { _ = http.NewResponseController(a.w).Flush() }

func (a *answer) wait(d time.Duration) error {
	if d <= 0 {
		return nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-a.ctx.Done():
		return errGone
	}
}
