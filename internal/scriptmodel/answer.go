package scriptmodel

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"pollux/internal/scriptmodel/protocol"
)

// answer sends a turn to a client.
type answer struct {
	server  *Server
	wire    protocol.Wire
	encoder protocol.Encoder
	query   *protocol.Query
	turn    *Turn
	use     int // number of uses of the turn, including this one
	w       http.ResponseWriter
	ctx     context.Context

	started    bool
	paced      int       // chunks sent
	began      time.Time // the first of them
	textSize   int       // bytes sent so far, to estimate tokens
	usage      *Usage
	pending    *protocol.Piece // not sent yet, because the finish reason goes with the last piece
	isComplete bool            // nothing may be added after the turn's last step
}

// errGone ends an answer: the client has closed the connection, or the response is complete.
var errGone = fmt.Errorf("the client has gone")

// play sends the turn. It returns a problem of the script, or "".
func (a *answer) play() (problem string) {
	a.query.ThoughtField = a.turn.Thoughts
	a.encoder = a.wire.NewEncoder(a.query, a.openingUsage())
	for _, s := range a.turn.Steps {
		if err := a.playStep(s); err == errGone {
			return ""
		} else if err != nil {
			if !a.started {
				writeJSON(a.w, 400, a.wire.EncodeError(protocol.Invalid("script: %v", err)))
			}
			return err.Error()
		}
	}
	if !a.isComplete {
		_ = a.finish("STOP")
	}
	return ""
}

// openingUsage returns the usage that some protocols send before the answer.
func (a *answer) openingUsage() *protocol.Tokens {
	for _, s := range a.turn.Steps {
		if u, ok := s.(Usage); ok {
			return u.tokens()
		}
	}
	return a.estimate()
}

func (a *answer) estimate() *protocol.Tokens {
	return &protocol.Tokens{Prompt: a.query.Size/4 + 1, Candidates: a.textSize/4 + 1}
}

// playStep runs one step of the turn.
func (a *answer) playStep(s Step) error {
	a.isComplete = false
	switch s := s.(type) {
	case Header:
		a.w.Header().Set(s.Name, s.Value)
	case Usage:
		a.usage = &s
	case Text:
		t, err := a.expandText(s.Text, unquoted)
		if err != nil {
			return err
		}
		return a.queue(protocol.Piece{Text: t})
	case Think:
		return a.queue(protocol.Piece{Thought: s.Text})
	case Fill:
		unit := cmp.Or(s.Text, "x")
		return a.queue(protocol.Piece{Text: strings.Repeat(unit, s.Size/len(unit)+1)[:s.Size]})
	case Call:
		return a.call(s)
	case Null:
		return a.queue(protocol.Piece{Null: true})
	case Cut:
		return a.cut()
	case Finish:
		err := a.finish(s.Reason)
		a.isComplete = true
		return err
	default:
		// The other steps send data at once, and nothing is added to it.
		a.isComplete = true
		if err := a.sendPending(); err != nil {
			return err
		}
		return a.misbehave(s)
	}
	return nil
}

// cut sends half of the pending piece and breaks the connection.
func (a *answer) cut() error {
	if a.pending == nil {
		return fmt.Errorf("there is nothing to cut")
	}
	var all []byte
	for _, f := range a.encoder.Frames(*a.pending) {
		all = append(all, a.encodeFrame(f)...)
	}
	if a.query.Verb == protocol.Generate {
		all = a.encoder.Response()
	}
	if err := a.write(all[:len(all)/2]); err != nil {
		return err
	}
	panic(http.ErrAbortHandler) // net/http's way to break a connection
}

// misbehave runs a step that delays, breaks or replaces the answer.
func (a *answer) misbehave(s Step) error {
	switch s := s.(type) {
	case Delay:
		a.isComplete = false
		return a.wait(s.For)
	case Hang:
		a.writeHeader(200)
		<-a.ctx.Done()
		panic(http.ErrAbortHandler) // returning would end the response normally
	case Drop:
		panic(http.ErrAbortHandler) // net/http's way to break a connection
	case Comment:
		a.isComplete = false
		return a.write(a.comment(s.Text))
	case End:
		a.writeHeader(200)
		return errGone
	case Frame:
		return a.write(a.encodeFrame(a.scriptFrame(s.Data)))
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

// fail sends an error of the vendor, as the response or within the stream.
func (a *answer) fail(s Fail) error {
	f := &protocol.Error{Status: s.Status, Code: s.Code, Message: s.Message, Details: s.Details}
	if a.wire.Name() == "anthropic" && s.Code == "insufficient_quota" {
		f.Status = http.StatusBadRequest // the vendor has no code for this
	}
	if !a.started {
		if after := retryAfter(s.Details); after != "" && a.wire.Name() != "gemini" && a.w.Header().Get("Retry-After") == "" {
			a.w.Header().Set("Retry-After", after)
		}
		writeJSON(a.w, f.Status, a.wire.EncodeError(f))
		return errGone
	}
	return a.writeFrames(a.encoder.ErrorFrames(f))
}

// retryAfter returns the seconds in the detail retryDelay, which other vendors send in a header,
// or "" if there is none.
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
	args, err := a.expandText(c.Args, func(s string) string {
		b, _ := json.Marshal(s) // encoding a string never fails
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
	sent := protocol.SentCall{
		ID: c.ID, EmptyID: c.EmptyID, Name: c.Name, Signature: c.Signature, Args: compact.Bytes(), Form: c.Form,
	}
	if a.pending != nil && len(a.pending.Calls) > 0 && a.turn.Interleave {
		a.pending.Calls = append(a.pending.Calls, sent)
		return nil
	}
	return a.queue(protocol.Piece{Calls: []protocol.SentCall{sent}})
}

// expandText replaces each {{...}} by its value.
func (a *answer) expandText(s string, quote func(string) string) (string, error) {
	return expand(s, a.server.values(a.query), quote)
}

// unquoted returns s; it is the quote function of expand for plain text.
func unquoted(s string) string { return s }

// queue sends the pending piece and makes p pending, because the finish reason goes with the
// last piece.
func (a *answer) queue(p protocol.Piece) error {
	if err := a.sendPending(); err != nil {
		return err
	}
	a.pending = &p
	return nil
}

// finish sends the last piece with the finish reason and the usage.
func (a *answer) finish(reason string) error {
	last := protocol.Piece{}
	if a.pending != nil {
		last = *a.pending
	}
	a.count(last)
	last.Last, last.FinishReason, last.Usage = true, reason, a.estimate()
	if a.usage != nil {
		last.Usage = a.usage.tokens()
	}
	a.pending = nil
	if err := a.send(last); err != nil {
		return err
	}
	if a.query.Verb == protocol.Generate {
		return a.write(a.encoder.Response())
	}
	return nil
}

// sendPending sends the pending piece, if there is one.
func (a *answer) sendPending() error {
	if a.pending == nil {
		return nil
	}
	p := *a.pending
	a.pending = nil
	a.count(p)
	return a.send(p)
}

// count adds the size of p to the estimate of tokens.
func (a *answer) count(p protocol.Piece) {
	a.textSize += len(p.Text) + len(p.Thought)
	for _, c := range p.Calls {
		a.textSize += len(c.Args)
	}
}

// send encodes a piece and, in a stream, sends it.
func (a *answer) send(p protocol.Piece) error {
	frames := a.encoder.Frames(p)
	a.server.remember(p.Calls, a.encoder.SignedThoughts())
	if a.query.Verb == protocol.Generate {
		return nil // finish sends the whole response
	}
	if err := a.writeFrames(frames); err != nil {
		return err
	}
	return a.wait(max(a.turn.Pace, a.untilNext()))
}

// untilNext returns the time until the next chunk of the turn's rate, 0 without one.
func (a *answer) untilNext() time.Duration {
	if a.turn.Rate == 0 {
		return 0
	}
	if a.paced == 0 {
		a.began = time.Now()
	}
	a.paced++
	due := a.began.Add(time.Duration(a.paced) * time.Second / time.Duration(a.turn.Rate))
	return time.Until(due)
}

func (a *answer) writeFrames(frames []protocol.Frame) error {
	for _, f := range frames {
		if err := a.write(a.encodeFrame(f)); err != nil {
			return err
		}
	}
	return nil
}

// encodeFrame returns the bytes of a frame in the stream, or just its data without a stream.
func (a *answer) encodeFrame(f protocol.Frame) []byte {
	if a.query.Verb != protocol.Stream {
		return f.Data
	}
	if a.query.JSONLines {
		return append(f.Data, a.newline()...)
	}
	text := "data: " + string(f.Data)
	if f.Event != "" {
		text = "event: " + f.Event + a.newline() + text
	}
	return []byte(text + a.newline() + a.newline())
}

// scriptFrame returns a frame of the script with the event name that the protocol uses.
func (a *answer) scriptFrame(data string) protocol.Frame {
	f := protocol.Frame{Data: []byte(data)}
	var event struct {
		Type string `json:"type"`
	}
	if n := a.wire.Name(); (n == "anthropic" || n == "responses") && json.Unmarshal(f.Data, &event) == nil {
		f.Event = event.Type
	}
	return f
}

// comment returns a line of the stream that clients ignore.
func (a *answer) comment(text string) []byte {
	if a.query.Verb != protocol.Stream || a.query.JSONLines {
		return []byte("\n")
	}
	return []byte(": " + text + a.newline() + a.newline())
}

func (a *answer) newline() string { return cmp.Or(a.turn.Newline, a.query.Newline, "\n") }

// writeHeader sends the status and the headers, once.
func (a *answer) writeHeader(status int) {
	if a.started {
		return
	}
	a.started = true
	h := a.w.Header()
	if h.Get("Content-Type") == "" {
		h.Set("Content-Type", "application/json; charset=UTF-8")
		if a.query.Verb == protocol.Stream {
			h.Set("Content-Type", "text/event-stream")
			if a.query.JSONLines {
				h.Set("Content-Type", "application/x-ndjson")
			}
		}
	}
	a.w.WriteHeader(status)
	a.flush()
}

// write sends bytes, in pieces of the script's size.
func (a *answer) write(b []byte) error {
	a.writeHeader(200)
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

// wait waits for d, or returns errGone if the client closes the connection.
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
