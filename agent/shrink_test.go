package agent

import (
	"context"
	"errors"
	"strings"
	"testing"

	"pollux/llm"
	"pollux/tool"
)

// press compresses a history to its first message, if it is to.
type press struct {
	works bool
	asked []CompressRequest
}

func (p *press) Compress(_ context.Context, o CompressRequest) ([]Message, Compression) {
	p.asked = append(p.asked, o)
	if !p.works {
		return o.History, Compression{Status: CompressNoOp}
	}
	return o.History[:1], Compression{Status: CompressedOK, Before: o.Tokens, After: 3}
}

// shears is a [Shortener] that cuts results to one word, if it is to.
type shears bool

func (s shears) Shorten(_ context.Context, m *llm.Content, _ int) *llm.Content {
	if !s {
		return m
	}
	return llm.User(result("short"))
}

// TestOverflowRepairs checks which part of a refused request gets shorter, and the event if none can.
func TestOverflowRepairs(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("word ", 300)
	sized := &llm.Error{Kind: llm.KindContextWindow, Message: "too long", Size: llm.RequestSize{Prompt: 900, Answer: 100, Window: 800}}
	vague := &llm.Error{Kind: llm.KindContextWindow, Message: "too long"}
	image := llm.Part{InlineData: &llm.Blob{MIMEType: "image/png", Data: []byte(strings.Repeat("x", 4000))}}
	for name, tt := range map[string]struct {
		before    string // text of the history
		parts     []llm.Part
		cause     *llm.Error
		press     press
		shears    shears
		shortened int
		started   bool
		how       remedy
		err       error
		message   string // its text, or "short"
		events    string // prefixes
	}{
		"the history":              {before: long, parts: []llm.Part{llm.Text("hi")}, cause: sized, press: press{works: true}, how: resend, events: "Compressed"},
		"after some text":          {before: long, parts: []llm.Part{llm.Text("hi")}, cause: vague, press: press{works: true}, started: true, how: resend, events: "Compressed Retried{{CONTEXT_WINDOW"},
		"large results first":      {before: "a", parts: []llm.Part{result(long)}, cause: vague, press: press{works: true}, shears: true, how: resend, message: "short"},
		"results at last":          {before: long, parts: []llm.Part{result(long)}, cause: vague, shears: true, how: resend, message: "short"},
		"media of tools":           {before: long, parts: []llm.Part{result("seen"), image}, cause: vague, how: resend, message: "[image/png was left out: the context window has no room for it]"},
		"nothing, with sizes":      {before: long, parts: []llm.Part{llm.Text("hi")}, cause: sized, err: errOver, events: "Overflow{1000 800 "},
		"nothing, without sizes":   {before: long, parts: []llm.Part{llm.Text("hi")}, cause: vague, err: errOver, events: "Overflow{277 0 prompt"},
		"too often":                {before: long, parts: []llm.Part{llm.Text("hi")}, cause: vague, press: press{works: true}, shortened: 8, err: errOver, events: "Compressed Overflow"},
		"the last time":            {before: long, parts: []llm.Part{llm.Text("hi")}, cause: vague, press: press{works: true}, shortened: 7, how: resend, events: "Compressed"},
		"a prompt keeps its media": {before: long, parts: []llm.Part{llm.Text("hi"), image}, cause: vague, err: errOver, events: "Overflow"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, func(c *Config) { c.Compressor, c.Shortener = &tt.press, tt.shears })
			for range 2 {
				b.conv.push(t.Context(), Message{Content: llm.User(llm.Text(tt.before[:len(tt.before)/2+1]))})
			}
			turn := b.sent(t.Context(), tt.parts...)
			turn.err, turn.shortened, turn.attempt, turn.previous = tt.cause, tt.shortened, 3, &InvalidStream{}
			turn.reply.hasStarted = tt.started
			how, err := overflow{fitter{b.requester}}.repairs(t.Context(), turn)
			if how != tt.how || !errors.Is(err, tt.err) || turn.message.isSent {
				t.Errorf("%v, %v, in the history: %v", how, err, turn.message.isSent)
			}
			if how == resend && (turn.attempt != 0 || turn.previous != nil) {
				t.Errorf("attempt %d after %v", turn.attempt, turn.previous)
			}
			want := strings.Fields(tt.events)
			if tt.events == "" && b.events != nil || !hasPrefixes(strings.Join(b.events, " "), want) {
				t.Errorf("events %q, want %q", b.events, tt.events)
			}
			switch text := turn.message.content.Text(); {
			case tt.message == "short":
				if turn.message.content.Tokens() > 20 {
					t.Error("the results are not shorter")
				}
			case tt.message != "" && text != tt.message:
				t.Errorf("message %q", text)
			}
			if window := b.Window("m"); (tt.cause == sized) != (window == 700) {
				t.Errorf("a window of %d", window)
			}
		})
	}
}

// hasPrefixes reports whether s contains parts in this order.
func hasPrefixes(s string, parts []string) bool {
	for _, p := range parts {
		_, rest, found := strings.Cut(s, p)
		if !found {
			return false
		}
		s = rest
	}
	return true
}

// TestShrinkFixed checks that a shorter instruction is enough if the message then fits.
func TestShrinkFixed(t *testing.T) {
	t.Parallel()
	for _, size := range []int{10, 1200} {
		text := strings.Repeat("word ", 500)
		b := newBench(t, func(c *Config) {
			c.System = func(tool.Form) *llm.Content { return llm.User(llm.Text(text)) }
			c.Compressor = &press{}
		})
		turn := b.sent(t.Context(), llm.Text(strings.Repeat("word ", size)))
		b.request(nil, turn.tools, false)
		b.conv.tokens += b.conv.overhead
		before := b.conv.overhead
		text = "few words"
		turn.err = &llm.Error{Kind: llm.KindContextWindow}
		how, _ := overflow{fitter{b.requester}}.repairs(t.Context(), turn)
		if fits := size == 10; (how == resend) != fits || b.conv.overhead >= before || b.conv.tokens != b.conv.overhead {
			t.Errorf("message of %d: %v, %d tokens, %d before", size, how, b.conv.tokens, before)
		}
	}
}

// TestWindow checks the shares of a window.
func TestWindow(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		w                       window
		left, room, call, three int
		scarce                  bool
	}{
		{w: window{}, left: 0},
		{w: window{0, 500}, left: -500},
		{w: window{1000, 0}, left: 1000, room: 500, call: 500, three: 166},
		{w: window{1000, 750}, left: 250, room: 125, call: 125, three: 41},
		{w: window{1000, 751}, left: 249, room: 124, call: 125, three: 41, scarce: true},
		{w: window{1000, 2000}, left: -1000, room: 1, call: 125, three: 41, scarce: true},
		{w: window{8, 8}, left: 0, room: 1, call: 1, three: 1, scarce: true},
	} {
		w := tt.w
		if w.left() != tt.left || w.room() != tt.room || w.roomOfCall(1) != tt.call || w.roomOfCall(3) != tt.three || w.isScarce() != tt.scarce {
			t.Errorf("%+v: left %d, room %d, calls %d and %d, scarce %v", w, w.left(), w.room(), w.roomOfCall(1), w.roomOfCall(3), w.isScarce())
		}
	}
}

// TestFitterRoom checks how much room a compression has to make for a prompt.
func TestFitterRoom(t *testing.T) {
	t.Parallel()
	compressor := &press{}
	b := newBench(t, func(c *Config) { c.Compressor = compressor })
	b.conv.push(t.Context(), Message{Content: llm.User(llm.Text("hi"))})
	b.conv.push(t.Context(), Message{Content: llm.User(llm.Text(strings.Repeat("word ", 900)))})
	turn := &turn{message: outgoing{content: llm.User(llm.Text(strings.Repeat("word ", 500)))}}
	if err := (fitter{b.requester}).fit(t.Context(), turn); !errors.Is(err, errOver) {
		t.Fatal(err)
	}
	last := compressor.asked[len(compressor.asked)-1]
	if need := turn.message.content.Tokens(); len(compressor.asked) != 2 || !last.Force || last.Room != 1000-int(float64(need)/crowded) {
		t.Errorf("%d requests, the last for %d tokens, want %d", len(compressor.asked), last.Room, 1000-int(float64(need)/crowded))
	}
}
