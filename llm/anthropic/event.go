package anthropic

import (
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/go-faster/jx"

	"pollux/llm/httpwire"
)

// event is a decoded event of a stream. Its byte slices are valid until the next
// event is decoded.
type event struct {
	kind     string // "content_block_delta", ...; "" for unknown kinds
	index    int
	hasError bool // it has a member "error"

	// The member of a content_block_delta and its text.
	member string
	text   []byte

	// Raw JSON of rare members.
	block, message, usage, citation []byte
	// The reason for the end of the response in a message_delta, and its details.
	stop    string
	details []byte
}

// eventDecoder decodes events. Nearly all events hold a few words of text, which it
// copies only once, into buf.
type eventDecoder struct {
	event
	hasBegun bool // an event has arrived
	d        *jx.Decoder
	buf      []byte
	members  func(*jx.Decoder, []byte) error
	deltas   func(*jx.Decoder, []byte) error
}

func newEventDecoder() *eventDecoder {
	e := &eventDecoder{d: jx.GetDecoder()}
	e.members, e.deltas = e.decodeMember, e.decodeDelta // made once, not for each event
	return e
}

// release returns the decoder to its pool. The event must not be used after that.
func (e *eventDecoder) release() { jx.PutDecoder(e.d) }

// decode sets e.event to the event in data.
func (e *eventDecoder) decode(data []byte) error {
	e.event = event{}
	e.d.ResetBytes(data)
	return e.d.ObjBytes(e.members)
}

// The kinds of events and the members of deltas.
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

// intern returns the element of words that equals b, "" if there is none. It does not
// allocate.
func intern(words []string, b []byte) string {
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
		e.kind = intern(kinds, b)
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
	case "error":
		e.hasError, err = true, d.Skip()
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
	if member := intern(deltaTexts, key); member != "" {
		e.buf, err = d.StrAppend(e.buf[:0])
		e.member, e.text = member, toValidUTF8(e.buf)
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

// toValidUTF8 returns b with invalid bytes replaced by U+FFFD.
func toValidUTF8(b []byte) []byte {
	if utf8.Valid(b) {
		return b
	}
	return slices.Clone([]byte(string([]rune(string(b)))))
}

var errNotEvent = errors.New("JSON that is no event of the stream")

// handleEvent adds an event to r. The data may be a whole response from a server that
// does not stream.
func handleEvent(res *httpwire.Response, r *reply, e *eventDecoder, event httpwire.Event) error {
	data := event.Data
	if event.Unframed {
		if _, failed := parseError(data); e.hasBegun && !failed {
			return httpwire.Malformed("stream", errNotEvent, data)
		}
		return handleWhole(res, r, data)
	}
	e.hasBegun = true
	if string(data) == "[DONE]" { // some gateways send it as last event
		return nil
	}
	err := e.decode(data)
	if err == nil && (e.kind == errorEvent || e.kind == "" && e.hasError) { // some gateways leave the type out
		return streamedError(data)
	}
	if err == nil {
		err = r.addEvent(&e.event)
	}
	if err != nil {
		return httpwire.Malformed("chunk", err, data)
	}
	return nil
}

// handleWhole adds a response that was not streamed to r.
func handleWhole(res *httpwire.Response, r *reply, data []byte) error {
	if err := res.CheckJSON(data); err != nil {
		return err
	}
	if _, failed := parseError(data); failed {
		return streamedError(data)
	}
	if err := r.addWhole(data); err != nil {
		return httpwire.Malformed("answer", err, data)
	}
	return nil
}
