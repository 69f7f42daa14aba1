package tuitest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"time"

	"pollux/internal/terminal"
)

// Cast is a recording of a terminal, with times that the caller chooses. Its methods may be called from any goroutine.
type Cast struct {
	width, height int

	mu      sync.Mutex
	now     time.Duration
	frame   time.Duration // passes before output that follows a pause, 0 for no time
	arrived time.Time     // the last output
	events  []castEvent
	bytes   int // of output
}

// castEvent is output at a time, or a mark.
type castEvent struct {
	at     time.Duration
	isMark bool
	text   []byte
}

// NewCast returns an empty recording of a terminal of this size.
func NewCast(width, height int) *Cast { return &Cast{width: width, height: height} }

// Pass lets time pass.
func (c *Cast) Pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now += d
}

// SetFrameTime sets the time that passes before output which does not follow other output at once.
func (c *Cast) SetFrameTime(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.frame = d
}

// Output adds output. It leaves out the questions to the terminal, which a player could answer with keys.
func (c *Cast) Output(output []byte) {
	const apart = 10 * time.Millisecond
	c.mu.Lock()
	defer c.mu.Unlock()
	if now := time.Now(); now.Sub(c.arrived) > apart {
		c.now += c.frame
		c.arrived = now
	}
	c.bytes += len(output)
	output = bytes.ReplaceAll(output, []byte(terminal.Queries), nil)
	if n := len(c.events); n > 0 && !c.events[n-1].isMark {
		last := &c.events[n-1]
		if part := terminal.PartialRune(last.text); last.at == c.now {
			last.text = append(last.text, output...)
			return
		} else if part > 0 { // a character belongs to one event
			output = append(bytes.Clone(last.text[len(last.text)-part:]), output...)
			last.text = last.text[:len(last.text)-part]
		}
	}
	c.events = append(c.events, castEvent{at: c.now, text: bytes.Clone(output)})
}

// Bytes returns the number of bytes of output so far.
func (c *Cast) Bytes() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.bytes
}

// Mark adds a mark with a label, at which a player can begin.
func (c *Cast) Mark(label string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.events = append(c.events, castEvent{at: c.now, isMark: true, text: []byte(label)})
}

// Encode returns the recording in the format asciicast v2.
func (c *Cast) Encode(title string) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(castHeader{Version: 2, Width: c.width, Height: c.height, Title: title, Env: map[string]string{"TERM": "xterm-256color"}}) // it does not fail
	for _, event := range c.events {
		kind := "o"
		if event.isMark {
			kind = "m"
		}
		_ = e.Encode([]any{math.Round(event.at.Seconds()*1000) / 1000, kind, string(event.text)})
	}
	return b.Bytes()
}

type castHeader struct {
	Version int               `json:"version"`
	Width   int               `json:"width"`
	Height  int               `json:"height"`
	Title   string            `json:"title"`
	Env     map[string]string `json:"env"`
}

// Mark is the terminal at a mark of a recording.
type Mark struct {
	Label string
	Rows  Picture // of the scrollback and the screen
}

// Replay plays a recording in the format asciicast v2, and returns its marks and its duration.
func Replay(recording []byte) (marks []Mark, duration time.Duration, err error) {
	lines := bufio.NewScanner(bytes.NewReader(recording))
	lines.Buffer(nil, 1<<20)
	var h castHeader
	if !lines.Scan() || json.Unmarshal(lines.Bytes(), &h) != nil || h.Version != 2 || h.Width < 1 || h.Height < 1 {
		return nil, 0, errors.New("it has no header of version 2")
	}
	emulator, titles := NewEmulator(h.Width, h.Height), titles{}
	defer emulator.drain()()
	last := 0.0
	for n := 2; lines.Scan(); n++ {
		var event []any
		if err := json.Unmarshal(lines.Bytes(), &event); err != nil {
			return nil, 0, fmt.Errorf("line %d: %w", n, err)
		}
		at, kind, text, ok := eventOf(event)
		if !ok || at < last || strings.ContainsRune(text, '\ufffd') {
			return nil, 0, fmt.Errorf("line %d: invalid event: %s", n, lines.Bytes())
		}
		if last = at; kind == "m" {
			marks = append(marks, Mark{text, emulator.Picture()})
		} else {
			_, _ = emulator.Write(titles.cut([]byte(text))) // it does not fail
		}
	}
	return marks, time.Duration(last * float64(time.Second)), lines.Err()
}

// eventOf returns the parts of an event.
func eventOf(event []any) (at float64, kind, text string, ok bool) {
	if len(event) != 3 {
		return 0, "", "", false
	}
	at, isTime := event[0].(float64)
	kind, isKind := event[1].(string)
	text, isText := event[2].(string)
	return at, kind, text, isTime && isKind && isText && (kind == "o" || kind == "m")
}
