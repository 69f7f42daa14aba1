// Package keys is the keyboard of the terminal user interface. A [Decoder] turns the bytes of a terminal into events;
// [Bindings] name the [Command] of a [Chord], by default or as keybindings.json says; a [Matcher] follows sequences of
// chords; a [Guard] tells Enter keys from line ends of text that a terminal pastes without marks.
//
// Nothing here reads a clock, starts a goroutine or writes to the terminal: the owner passes bytes and times.
package keys

import (
	"time"

	uv "github.com/charmbracelet/ultraviolet"
)

// Times after which incomplete input is given up.
const (
	escapeWait      = 50 * time.Millisecond // Esc, or the beginning of a sequence
	kittyEscapeWait = 25 * time.Millisecond
	sequenceWait    = time.Second // the rest of a sequence, a character or a reply
	replyLimit      = 5 * time.Second
	pasteLimit      = 30 * time.Second // also the clipboard
	tailWait        = 20 * time.Millisecond
	tailLimit       = time.Second
)

// Decoder turns the bytes that a terminal sends into events. The events do not depend on how the bytes are divided into
// reads, only on the time between them: a lone ESC is the Esc key, or the beginning of a sequence.
//
// Unknown sequences and invalid UTF-8 are dropped. The zero Decoder is ready to use; the owner may change the fields at
// any time. Callers must not use a Decoder concurrently.
type Decoder struct {
	IsKitty bool // kitty's keyboard protocol is on: the Esc key sends a sequence, and a lone ESC needs less patience
	IsMac   bool // characters that Option types on a Mac are chords with Alt
	IsGreek bool // the user writes Greek: Ω is a letter, not Option+Z

	sequences uv.EventDecoder
	mode      mode
	held      []byte    // incomplete input, short
	last      time.Time // of the latest bytes
	start     time.Time // of the paste, its tail or the string
	body      body      // of the paste, its tail or the string
	intro     byte      // of the string: ']' for OSC, 'P' for DCS
	is8Bit    bool      // the introducer of the string is one byte, and so may be its terminator
}

// mode is the kind of input that a [Decoder] is in.
type mode uint8

const (
	inKeys    mode = iota
	inPaste        // between the marks of a bracketed paste
	inRemains      // in a paste that was given up
	inTail         // behind the end mark of a paste, until the terminal rests
	inString       // in an OSC, DCS, APC, PM or SOS string
	inLong         // in a CSI sequence that is too long
)

// Feed decodes bytes that arrived at a time, and returns the events that are complete. It does not keep b.
func (d *Decoder) Feed(b []byte, at time.Time) []Event {
	events := d.Flush(at)
	if len(b) == 0 {
		return events
	}
	d.last = at
	if len(d.held) > 0 {
		b = append(d.held, b...)
		d.held = nil
	}
	return d.decode(b, events)
}

// decode decodes b, and holds back the incomplete part at its end.
func (d *Decoder) decode(b []byte, events []Event) []Event {
	for len(b) > 0 {
		n, isComplete := 0, false
		n, isComplete, events = d.step(b, events)
		b = b[n:]
		if !isComplete {
			d.held = append([]byte(nil), b...)
			break
		}
	}
	return events
}

// step decodes the first part of b, which is not empty, and returns its length. It returns false if the rest of b is
// incomplete.
func (d *Decoder) step(b []byte, events []Event) (n int, isComplete bool, _ []Event) {
	switch d.mode {
	case inPaste, inRemains:
		return d.readPaste(b, events)
	case inTail:
		return len(b), true, d.readTail(b, events)
	case inString:
		return d.readString(b, events)
	case inLong:
		n, isComplete = d.skipLong(b)
		return n, isComplete, events
	}
	u := firstUnit(b)
	part := b[:u.n]
	switch u.kind {
	case unitIncomplete:
		return 0, false, events
	case unitRune:
		events = d.readRune(part, 0, events)
	case unitAltRune:
		events = d.readRune(part[1:], Alt, events)
	case unitEscape:
		events = append(events, d.escape())
	case unitSequence:
		events = d.readSequence(part, events)
	case unitAltSequence:
		events = d.readAltSequence(part, events)
	case unitString:
		d.beginString(part)
	case unitLong:
		d.mode = inLong
	}
	return u.n, true, events
}

// skipLong drops the rest of a CSI sequence that is too long.
func (d *Decoder) skipLong(b []byte) (n int, isComplete bool) {
	for i, c := range b {
		if c >= ' ' && c < '@' {
			continue
		}
		d.mode = inKeys
		if c >= '@' && c < del || c == cancel || c == substitute {
			i++
		}
		return i, true
	}
	return len(b), true
}

// Deadline returns the time at which to call [Decoder.Flush], and false if no incomplete input is held back.
func (d *Decoder) Deadline() (time.Time, bool) {
	switch d.mode {
	case inPaste:
		return d.start.Add(pasteLimit), true
	case inString:
		end := d.start.Add(replyLimit)
		if d.isClipboard() {
			end = d.start.Add(pasteLimit)
		}
		if rest := d.last.Add(sequenceWait); rest.Before(end) {
			end = rest
		}
		return end, true
	case inTail:
		end := d.start.Add(tailLimit)
		if rest := d.last.Add(tailWait); rest.Before(end) {
			end = rest
		}
		return end, true
	case inRemains, inLong:
		return d.last.Add(sequenceWait), true
	}
	switch {
	case len(d.held) == 0:
		return time.Time{}, false
	case !d.isAmbiguous():
		return d.last.Add(sequenceWait), true
	case d.IsKitty:
		return d.last.Add(kittyEscapeWait), true
	}
	return d.last.Add(escapeWait), true
}

// Pending returns how long to wait for the rest of incomplete input, counted from the latest [Decoder.Feed], before
// [Decoder.Flush] gives it up. It returns false if nothing is held back.
func (d *Decoder) Pending() (wait time.Duration, ok bool) {
	end, ok := d.Deadline()
	if !ok {
		return 0, false
	}
	return max(end.Sub(d.last), 0), true
}

// Extend waits for the rest of an incomplete key, or of a paste with an end mark in its text, from the time at on: the
// rest may have been there before, unread.
func (d *Decoder) Extend(at time.Time) {
	if d.mode == inKeys && len(d.held) > 0 || d.mode == inTail {
		d.last = at
	}
}

// Flush gives up incomplete input whose [Decoder.Deadline] is not after the time at, and returns the events that it
// stands for: the Esc key, a key with Alt, the part of a paste that arrived, or the keys behind a paste. Before the deadline it does nothing.
func (d *Decoder) Flush(at time.Time) (events []Event) {
	if end, ok := d.Deadline(); !ok || at.Before(end) {
		return nil
	}
	if d.mode == inPaste {
		d.body.isCut = true
		d.mode, d.last = inRemains, at
		return append(events, d.paste(at))
	}
	if d.mode == inTail {
		return d.endTail(nil)
	}
	held, isKey := d.held, d.mode == inKeys && d.isAmbiguous()
	d.mode, d.held, d.body = inKeys, nil, body{}
	if !isKey {
		return nil
	}
	if len(held) > 1 && held[1] == esc {
		events = append(events, d.escape())
		held = held[1:]
	}
	if len(held) == 1 {
		return append(events, d.escape())
	}
	return d.readSequence(held, events)
}

// isAmbiguous reports whether the input that is held back may be complete: the Esc key, or Alt and a key.
func (d *Decoder) isAmbiguous() bool {
	switch b := d.held; len(b) {
	case 1:
		return b[0] == esc
	case 2:
		return b[0] == esc && b[1] < 0x80
	case 3:
		return b[0] == esc && b[1] == esc
	}
	return false
}

// escape returns the event of the Esc key.
func (d *Decoder) escape() Key { return Key{Chord: Chord{Code: Escape}, At: d.last} }
