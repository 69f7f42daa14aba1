package anthropic

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/go-faster/jx"

	"pollux/llm/httpwire"
)

// event is one event of a stream, as far as it means anything here. Its bytes
// are good until the next one.
type event struct {
	kind  string // "content_block_delta", ...; "" where it is another
	index int

	// Of a content_block_delta: which member it brings and that.
	member string
	text   []byte

	// What comes seldom, as it came.
	block, message, usage, citation []byte
	// stop is why the answer ended, of a message_delta, and details what is said of it.
	stop    string
	details []byte
}

// eventDecoder decodes events. Nearly all of them are a few words of text: these
// are decoded without a copy but the one into the buffer of the event.
type eventDecoder struct {
	event
	d       *jx.Decoder
	buf     []byte
	members func(*jx.Decoder, []byte) error
	deltas  func(*jx.Decoder, []byte) error
}

func newEventDecoder() *eventDecoder {
	e := &eventDecoder{d: jx.GetDecoder()}
	e.members, e.deltas = e.decodeMember, e.decodeDelta // made once, not for each event
	return e
}

// release gives the decoder back. The event may not be used after it.
func (e *eventDecoder) release() { jx.PutDecoder(e.d) }

// decode sets e.event to what data holds.
func (e *eventDecoder) decode(data []byte) error {
	e.event = event{}
	e.d.ResetBytes(data)
	return e.d.ObjBytes(e.members)
}

// The kinds of events and of what deltas bring.
const (
	messageStart = "message_start"
	blockStart   = "content_block_start"
	blockDelta   = "content_block_delta"
	blockStop    = "content_block_stop"
	messageDelta = "message_delta"
	messageStop  = "message_stop"
	errorEvent   = "error"

	memberText      = "text"
	memberJSON      = "partial_json"
	memberThinking  = "thinking"
	memberSignature = "signature"
)

var (
	kinds      = []string{blockDelta, blockStart, blockStop, messageStart, messageDelta, messageStop, errorEvent}
	deltaTexts = []string{memberText, memberJSON, memberThinking, memberSignature}
)

// known returns which of words b is, without making a string of it.
func known(words []string, b []byte) string {
	for _, w := range words {
		if w == string(b) {
			return w
		}
	}
	return ""
}

func (e *eventDecoder) decodeMember(d *jx.Decoder, key []byte) error {
	if d.Next() == jx.Null {
		return d.Skip()
	}
	var err error
	switch string(key) {
	case "type":
		var b []byte
		b, err = d.StrBytes()
		e.kind = known(kinds, b)
	case "index":
		if e.index, err = d.Int(); err != nil {
			return fmt.Errorf("index: %w", err)
		}
	case "delta":
		err = d.ObjBytes(e.deltas)
	case "content_block":
		e.block, err = d.Raw()
	case "message":
		e.message, err = d.Raw()
	case "usage":
		e.usage, err = d.Raw()
	default:
		err = d.Skip()
	}
	return err
}

func (e *eventDecoder) decodeDelta(d *jx.Decoder, key []byte) error {
	if d.Next() == jx.Null {
		return d.Skip()
	}
	var err error
	if member := known(deltaTexts, key); member != "" {
		e.buf, err = d.StrAppend(e.buf[:0])
		e.member, e.text = member, valid(e.buf)
		return err
	}
	switch string(key) {
	case "stop_reason":
		e.stop, err = d.Str()
	case "stop_details":
		e.details, err = d.Raw()
	case "citation":
		e.citation, err = d.Raw()
	default:
		err = d.Skip()
	}
	return err
}

// valid returns b with what is not UTF-8 replaced.
func valid(b []byte) []byte {
	if utf8.Valid(b) {
		return b
	}
	return slices.Clone([]byte(string([]rune(string(b)))))
}

// takeEvent adds an event to r. A server that does not stream may have sent the
// whole answer.
func takeEvent(res *httpwire.Response, r *reply, e *eventDecoder, event httpwire.Event) error {
	data := event.Data
	if event.Unframed {
		return takeWhole(res, r, data)
	}
	if string(data) == "[DONE]" { // some gateways say goodbye
		return nil
	}
	err := e.decode(data)
	if err == nil && e.kind == errorEvent {
		return streamedError(data)
	}
	if err == nil {
		err = r.take(&e.event)
	}
	if err != nil {
		return httpwire.Malformed("chunk", err, data)
	}
	return nil
}

// takeWhole adds an answer that came in one piece.
func takeWhole(res *httpwire.Response, r *reply, data []byte) error {
	if err := res.CheckJSON(data); err != nil {
		return err
	}
	if _, failed := parseError(data); failed {
		return streamedError(data)
	}
	if err := r.whole(data); err != nil {
		return httpwire.Malformed("answer", err, data)
	}
	return nil
}
