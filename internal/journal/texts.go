package journal

import (
	"bytes"
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/go-faster/jx"
)

// Text is a text of a message in a session file.
type Text struct {
	Kind string // user, gemini or tool
	Time time.Time
	Text []byte // valid until the next text
}

// Texts returns the texts of the record in a line: prompts, responses, and the strings in arguments
// and results of tool calls, without thoughts. It returns nothing for a line that it cannot read.
func Texts(line []byte) iter.Seq[Text] {
	return func(yield func(Text) bool) {
		line := bytes.TrimLeft(line, "\x00 \r") // a power failure can leave NULs
		if h, ok := readHead(line); ok && h.kind != "user" && h.kind != "gemini" {
			return
		}
		r := textReaders.Get().(*textReader)
		defer r.free()
		if decodeRaw(line, r.record) != nil || r.isRewind {
			return
		}
		for _, s := range r.spans {
			if !yield(Text{s.kind, s.time, r.buf[s.from:s.to]}) {
				return
			}
		}
	}
}

// textReader reads the texts of a record in one pass and without an allocation for each, because a
// search reads whole files.
type textReader struct {
	buf      []byte
	spans    []span
	isRewind bool
}

// span is a text in the buffer of a textReader.
type span struct {
	kind     string
	time     time.Time
	from, to int
}

var textReaders = sync.Pool{New: func() any { return &textReader{} }}

// free makes the reader available for another record.
func (r *textReader) free() {
	const most = 1 << 20 // bytes to keep for the next record
	if cap(r.buf) > most {
		r.buf, r.spans = nil, nil
	}
	r.buf, r.spans, r.isRewind = r.buf[:0], r.spans[:0], false
	textReaders.Put(r)
}

// record reads a message, or the messages in a header or a patch.
func (r *textReader) record(d *jx.Decoder) error {
	if d.Next() != jx.Object {
		return d.Skip()
	}
	m := messageTexts{textReader: r, first: len(r.spans)}
	err := d.ObjBytes(func(d *jx.Decoder, key []byte) error {
		switch string(key) {
		case "$rewindTo":
			r.isRewind = r.isRewind || d.Next() == jx.String
			return d.Skip()
		case "$set":
			return members(d, only("messages", r.messages))
		case "messages":
			return r.messages(d)
		}
		return m.member(d, key)
	})
	if m.kind == "" { // the messages in it have been finished
		r.spans = slices.DeleteFunc(r.spans, func(s span) bool { return s.kind == "" })
		return err
	}
	m.finish()
	return err
}

func (r *textReader) messages(d *jx.Decoder) error {
	if d.Next() != jx.Array {
		return d.Skip()
	}
	return d.Arr(func(d *jx.Decoder) error {
		if d.Next() != jx.Object {
			return d.Skip()
		}
		m := messageTexts{textReader: r, first: len(r.spans)}
		err := d.ObjBytes(m.member)
		m.finish()
		return err
	})
}

// messageTexts reads the texts of a message. Those of its own kind have the kind "" until its end.
type messageTexts struct {
	*textReader
	first      int // its first span
	kind, time string
	isOpening  bool // a program wrote it
}

func (m *messageTexts) member(d *jx.Decoder, key []byte) error {
	switch string(key) {
	case "type":
		return text(d, &m.kind)
	case "timestamp":
		return text(d, &m.time)
	case "content":
		first := len(m.spans)
		err := m.content(d, "")
		if first < len(m.spans) && m.spans[first].kind == "" {
			s := m.spans[first]
			m.isOpening = isNoPrompt(string(m.buf[s.from:min(s.to, s.from+len("<session_context>"))]))
		}
		return err
	case "displayContent":
		return m.content(d, "")
	case "toolCalls":
		return each(d, func(d *jx.Decoder) error {
			return members(d, func(d *jx.Decoder, key []byte) error {
				switch string(key) {
				case "args":
					return m.strings(d)
				case "executions":
					return each(d, func(d *jx.Decoder) error { return members(d, only("args", m.strings)) })
				case "result":
					return m.content(d, "tool")
				}
				return d.Skip()
			})
		})
	}
	return d.Skip()
}

// finish sets the kind and time of the texts, or removes them if neither a person nor a model wrote
// them.
func (m *messageTexts) finish() {
	if m.kind != "user" && m.kind != "gemini" || m.isOpening {
		m.spans = m.spans[:m.first]
		return
	}
	at, _ := time.Parse(time.RFC3339, m.time)
	for i := m.first; i < len(m.spans); i++ {
		m.spans[i].time = at
		if m.spans[i].kind == "" {
			m.spans[i].kind = m.kind
		}
	}
}

// content reads parts: a text, a part, or a list of both.
func (r *textReader) content(d *jx.Decoder, kind string) error {
	return each(d, func(d *jx.Decoder) error {
		if d.Next() == jx.String {
			return r.text(d, kind)
		}
		first, isThought := len(r.spans), false
		err := members(d, func(d *jx.Decoder, key []byte) (err error) {
			switch string(key) {
			case "text":
				return r.text(d, kind)
			case "thought":
				if d.Next() == jx.Bool {
					isThought, err = d.Bool()
					return err
				}
			case "functionCall":
				return members(d, only("args", r.strings))
			case "functionResponse":
				return members(d, only("response", r.strings))
			}
			return d.Skip()
		})
		if isThought {
			r.spans = r.spans[:first]
		}
		return err
	})
}

func (r *textReader) strings(d *jx.Decoder) error {
	switch d.Next() {
	case jx.String:
		return r.text(d, "tool")
	case jx.Array:
		return d.Arr(r.strings)
	case jx.Object:
		return d.ObjBytes(func(d *jx.Decoder, _ []byte) error { return r.strings(d) })
	}
	return d.Skip()
}

func (r *textReader) text(d *jx.Decoder, kind string) (err error) {
	if d.Next() != jx.String {
		return d.Skip()
	}
	from := len(r.buf)
	r.buf, err = d.StrAppend(r.buf)
	if text := r.buf[from:]; len(bytes.TrimSpace(text)) > 0 {
		r.spans = append(r.spans, span{kind: kind, from: from, to: len(r.buf)})
	}
	return err
}

// each calls read for each element of a list, or for a value that is none.
func each(d *jx.Decoder, read func(d *jx.Decoder) error) error {
	if d.Next() == jx.Array {
		return d.Arr(read)
	}
	return read(d)
}

// members calls read for each member of an object. It skips other values.
func members(d *jx.Decoder, read func(d *jx.Decoder, key []byte) error) error {
	if d.Next() != jx.Object {
		return d.Skip()
	}
	return d.ObjBytes(read)
}

// only returns a function that reads the member with this key.
func only(name string, read func(d *jx.Decoder) error) func(d *jx.Decoder, key []byte) error {
	return func(d *jx.Decoder, key []byte) error {
		if string(key) == name {
			return read(d)
		}
		return d.Skip()
	}
}
