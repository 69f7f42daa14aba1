package scriptmodel

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// answer is a turn on its way to a client.
type answer struct {
	server *Server
	wire   wire
	voice  voice
	asked  *asked
	turn   *Turn
	use    int // how often the turn was used, this time included
	w      http.ResponseWriter
	ctx    context.Context

	started bool
	said    int // characters, to estimate tokens
	usage   *Usage
	held    *piece // not sent yet: a finish reason may belong to it
	open    bool   // the turn's last step leaves nothing to add
}

// errGone says that nothing more is to be sent.
var errGone = fmt.Errorf("the client has gone")

// give plays the turn. It returns what is wrong with the script, if anything.
func (a *answer) give() (problem string) {
	a.asked.thoughtsIn = a.turn.Thoughts
	a.voice = a.wire.voice(a.asked, a.opening())
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

// opening is the usage of which protocols tell before the answer.
func (a *answer) opening() *tokens {
	for _, s := range a.turn.Steps {
		if u, ok := s.(Usage); ok {
			return u.tokens()
		}
	}
	return a.estimate()
}

func (a *answer) estimate() *tokens {
	return &tokens{prompt: a.asked.size/4 + 1, candidates: a.said/4 + 1}
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
	case Null:
		return a.say(piece{null: true})
	case Cut:
		return a.cut()
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

// cut sends half of what is held back, and breaks the connection.
func (a *answer) cut() error {
	if a.held == nil {
		return fmt.Errorf("there is nothing to cut")
	}
	var all []byte
	for _, f := range a.voice.frames(*a.held) {
		all = append(all, a.framed(f)...)
	}
	if a.asked.verb == generate {
		all = a.voice.whole()
	}
	if err := a.write(all[:len(all)/2]); err != nil {
		return err
	}
	panic(http.ErrAbortHandler) // net/http's way to break a connection
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
	case Comment:
		a.open = false
		return a.write(a.comment(s.Text))
	case End:
		a.start(200)
		return errGone
	case Frame:
		return a.write(a.framed(a.named(s.Data)))
	case Raw:
		return a.write(s.Data)
	case Page:
		a.w.Header().Set("Content-Type", "text/html")
		a.w.WriteHeader(s.Status)
		_, _ = a.w.Write([]byte(s.HTML))
		return errGone
	case Fail:
		return a.fail(s)
	}
	return fmt.Errorf("%T is not a step", s)
}

func (a *answer) fail(s Fail) error {
	f := &refusal{status: s.Status, code: s.Code, message: s.Message, details: s.Details}
	if _, ok := a.wire.(anthropic); ok && s.Code == "insufficient_quota" {
		f.status = http.StatusBadRequest // so it says this, and in words only
	}
	if !a.started {
		if after := retryAfter(s.Details); after != "" && a.wire.name() != "gemini" && a.w.Header().Get("Retry-After") == "" {
			a.w.Header().Set("Retry-After", after)
		}
		writeJSON(a.w, f.status, a.wire.refusal(f))
		return errGone
	}
	for _, frame := range a.voice.failed(f) {
		if err := a.write(a.framed(frame)); err != nil {
			return err
		}
	}
	return nil
}

// retryAfter is what Gemini says in a detail and the others in a header: the
// seconds to wait, "" for nothing said.
func retryAfter(details []json.RawMessage) string {
	for _, d := range details {
		var info struct {
			RetryDelay string `json:"retryDelay"`
		}
		if json.Unmarshal(d, &info) != nil {
			continue
		}
		if delay, err := time.ParseDuration(info.RetryDelay); err == nil {
			return strconv.FormatFloat(math.Ceil(delay.Seconds()), 'f', 0, 64)
		}
	}
	return ""
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
	sent := sentCall{
		id: c.ID, emptyID: c.EmptyID, name: c.Name, signature: c.Signature, args: compact.Bytes(), form: c.Form,
	}
	if a.held != nil && len(a.held.calls) > 0 && a.turn.Interleave {
		a.held.calls = append(a.held.calls, sent)
		return nil
	}
	return a.say(piece{calls: []sentCall{sent}})
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
	last.last, last.finish = true, reason
	if a.usage == nil {
		last.usage = a.estimate()
	} else {
		last.usage = a.usage.tokens()
	}
	a.held = nil
	if err := a.send(last); err != nil {
		return err
	}
	if a.asked.verb == generate {
		return a.write(a.voice.whole())
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
	for _, c := range p.calls {
		a.said += len(c.args)
	}
}

func (a *answer) send(p piece) error {
	frames := a.voice.frames(p)
	a.server.remember(p.calls, a.voice.thoughts())
	if a.asked.verb == generate {
		return nil // all is sent at the end
	}
	for _, f := range frames {
		if err := a.write(a.framed(f)); err != nil {
			return err
		}
	}
	return a.wait(a.turn.Pace)
}

// framed makes a frame of the stream, or nothing of it where there is none.
func (a *answer) framed(f frame) []byte {
	if a.asked.verb != stream {
		return f.data
	}
	if a.asked.lines {
		return append(f.data, a.newline()...)
	}
	text := "data: " + string(f.data)
	if f.event != "" {
		text = "event: " + f.event + a.newline() + text
	}
	return []byte(text + a.newline() + a.newline())
}

// named gives a frame of the script the name that the protocol would give it.
func (a *answer) named(data string) frame {
	f := frame{data: []byte(data)}
	var event struct {
		Type string `json:"type"`
	}
	if n := a.wire.name(); (n == "anthropic" || n == "responses") && json.Unmarshal(f.data, &event) == nil {
		f.event = event.Type
	}
	return f
}

// comment is a line that says nothing, for those who wait.
func (a *answer) comment(text string) []byte {
	if a.asked.verb != stream || a.asked.lines {
		return []byte("\n")
	}
	return []byte(": " + text + a.newline() + a.newline())
}

func (a *answer) newline() string {
	if a.turn.Newline != "" {
		return a.turn.Newline
	}
	return a.wire.newline()
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
			if a.asked.lines {
				h.Set("Content-Type", "application/x-ndjson")
			}
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
