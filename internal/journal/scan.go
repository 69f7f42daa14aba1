package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/go-faster/jx"
)

// kind is the effect of a record.
type kind int

const (
	unknownRecord kind = iota
	headerRecord
	messageRecord
	setRecord
	replaceRecord // a setRecord with messages
	rewindRecord
)

// line is where a record is in its file.
type line struct {
	at, length int64
	kind       kind
	id         string // of a message, or of the one to rewind to
}

// scanner reads the lines of a file from the last one to the first one, with little memory however
// long the file and its lines are.
type scanner struct {
	r      io.ReaderAt
	buf    []byte // content of the file from at on
	at     int64
	breaks []int32 // in buf, those of lines that were not returned; found from the first one on, which is much faster
	end    int64   // of the next line to return, its line feed not included
	size   int64
}

const chunk = 256 << 10

func newScanner(r io.ReaderAt, size int64) *scanner {
	return &scanner{r: r, at: size, end: size, size: size}
}

// previous returns the line before the last one that it has returned, without empty ones. The error is
// io.EOF at the beginning of the file.
func (s *scanner) previous() (line, error) {
	for s.end > 0 {
		start, err := s.startOf(s.end)
		if err != nil {
			return line{}, err
		}
		l := line{at: start, length: s.end - start}
		s.end = max(0, start-1)
		if l.length == 0 {
			continue
		}
		l.kind, l.id, l.at, l.length, err = s.classify(l)
		if err != nil || l.length > 0 {
			return l, err
		}
	}
	return line{}, io.EOF
}

// startOf returns where the line begins that ends at end, which is before the lines of earlier calls.
func (s *scanner) startOf(end int64) (int64, error) {
	for from := end; ; {
		if from <= s.at {
			if s.at == 0 {
				return 0, nil
			}
			if err := s.load(max(0, s.at-chunk), min(chunk, s.at)); err != nil {
				return 0, err
			}
		}
		for n := len(s.breaks) - 1; n >= 0; n-- {
			at := s.at + int64(s.breaks[n])
			s.breaks = s.breaks[:n]
			if at < from {
				return at + 1, nil
			}
		}
		from = s.at
	}
}

// load reads a piece of the file into the buffer.
func (s *scanner) load(at, length int64) error {
	if s.buf == nil {
		s.buf = make([]byte, chunk)
	}
	s.buf = s.buf[:length]
	s.at = at
	if err := readAt(s.r, s.buf, at); err != nil {
		return err
	}
	s.breaks = s.breaks[:0]
	for from := 0; ; {
		i := bytes.IndexByte(s.buf[from:], '\n')
		if i < 0 {
			return nil
		}
		s.breaks = append(s.breaks, int32(from+i))
		from += i + 1
	}
}

// readAt fills a buffer with the content of a file, as far as there is any.
func readAt(r io.ReaderAt, b []byte, at int64) error {
	if _, err := r.ReadAt(b, at); !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

// classify returns the kind of a line, and the line without the NULs that a power failure can
// leave before it. Lines as this package and Gemini CLI write them are known by their first
// bytes.
func (s *scanner) classify(l line) (k kind, id string, at, length int64, err error) {
	const headLength = 256
	head, err := s.head(l, headLength)
	if err != nil {
		return 0, "", 0, 0, err
	}
	for len(head) > 0 && (head[0] == 0 || head[0] == ' ' || head[0] == '\r') {
		trimmed := bytes.TrimLeft(head, "\x00 \r")
		l.at, l.length = l.at+int64(len(head)-len(trimmed)), l.length-int64(len(head)-len(trimmed))
		if head, err = s.head(l, headLength); err != nil {
			return 0, "", 0, 0, err
		}
	}
	if len(head) == 0 {
		return unknownRecord, "", l.at, 0, nil
	}
	for _, known := range [...]struct {
		prefix string
		kind   kind
		hasID  bool
	}{
		{`{"id":"`, messageRecord, true},
		{`{"$rewindTo":"`, rewindRecord, true},
		{`{"$set":{"messages":[`, replaceRecord, false},
		{`{"$set":{"lastUpdated":"`, setRecord, false},
	} {
		rest, ok := bytes.CutPrefix(head, []byte(known.prefix))
		if !ok {
			continue
		}
		if !known.hasID {
			return known.kind, "", l.at, l.length, nil
		}
		if end := bytes.IndexAny(rest, `"\`); end >= 0 && rest[end] == '"' {
			return known.kind, string(rest[:end]), l.at, l.length, nil
		}
	}
	whole, err := (&lineReader{s.r, s.size}).read(l.at, l.length)
	if err != nil {
		return unknownRecord, "", l.at, l.length, nil
	}
	k, id = kindOf(whole)
	return k, id, l.at, l.length, nil
}

// head returns the first bytes of a line.
func (s *scanner) head(l line, most int64) ([]byte, error) {
	n := min(l.length, most)
	if from := l.at - s.at; from >= 0 && from+n <= int64(len(s.buf)) {
		return s.buf[from : from+n], nil
	}
	b := make([]byte, n)
	return b, readAt(s.r, b, l.at)
}

// kindOf returns the kind of a record, by the checks of Gemini CLI in their order: a record with
// "$rewindTo" is a rewind whatever else it has.
func kindOf(record []byte) (k kind, id string) {
	d := jx.GetDecoder()
	defer jx.PutDecoder(d)
	d.ResetBytes(record)
	var rewindTo, messageID string
	var hasRewind, hasID, hasSet, hasMessages, hasSession, hasHash bool
	isText := func(d *jx.Decoder, has *bool, to *string) error {
		*has = *has || d.Next() == jx.String
		return text(d, to)
	}
	ignored := ""
	err := d.ObjBytes(func(d *jx.Decoder, key []byte) error {
		switch string(key) {
		case "$rewindTo":
			return isText(d, &hasRewind, &rewindTo)
		case "id":
			return isText(d, &hasID, &messageID)
		case "sessionId":
			return isText(d, &hasSession, &ignored)
		case "projectHash":
			return isText(d, &hasHash, &ignored)
		case "messages":
			hasMessages = hasMessages || d.Next() == jx.Array
			return d.Skip()
		case "$set":
			if d.Next() != jx.Object {
				return d.Skip()
			}
			hasSet = true
			return d.ObjBytes(func(d *jx.Decoder, key []byte) error {
				hasMessages = hasMessages || string(key) == "messages" && d.Next() == jx.Array
				return d.Skip()
			})
		}
		return d.Skip()
	})
	switch {
	case err != nil:
		return unknownRecord, ""
	case hasRewind:
		return rewindRecord, rewindTo
	case hasID:
		return messageRecord, messageID
	case hasSet && hasMessages:
		return replaceRecord, ""
	case hasSet:
		return setRecord, ""
	case hasSession && hasHash:
		return headerRecord, ""
	}
	return unknownRecord, ""
}

// messageHead is the beginning of a message.
type messageHead struct {
	id, time, kind string
	contentAt      int // offset of the value of "content"
}

// readHead reads the members of a message that come first.
func readHead(head []byte) (m messageHead, ok bool) {
	rest := head
	for _, member := range [...]struct {
		before string
		to     *string
	}{{`{"id":"`, &m.id}, {`,"timestamp":"`, &m.time}, {`,"type":"`, &m.kind}} {
		after, ok := bytes.CutPrefix(rest, []byte(member.before))
		if !ok {
			return m, false
		}
		end := bytes.IndexAny(after, `"\`)
		if end < 0 || after[end] != '"' {
			return m, false
		}
		*member.to, rest = string(after[:end]), after[end+1:]
	}
	rest, ok = bytes.CutPrefix(rest, []byte(`,"content":`))
	m.contentAt = len(head) - len(rest)
	return m, ok || m.kind == "info" // which can be without one
}

// isPrompt reports whether the first bytes of the content of a user's message show that it is a prompt.
// It can be one even if they do not.
func isPrompt(content []byte) bool {
	text, ok := bytes.CutPrefix(content, []byte(`[{"text":"`))
	return ok && len(text) > 0 && !bytes.ContainsAny(text[:1], `"\<`+" ")
}

// openingText returns the text that the first bytes of a content begin with, "" for none.
func openingText(content []byte) string {
	for _, before := range [...]string{`[{"text":"`, `{"text":"`, `"`} {
		rest, ok := bytes.CutPrefix(content, []byte(before))
		if !ok {
			continue
		}
		end := 0
		for end < len(rest) && rest[end] != '"' {
			if rest[end] == '\\' {
				end++
			}
			end++
		}
		text := rest[:min(end, len(rest))]
		for range 12 { // the cut may be inside an escape sequence
			var s string
			if json.Unmarshal(append(append([]byte{'"'}, text...), '"'), &s) == nil {
				return strings.TrimRight(s, "\ufffd")
			}
			if len(text) == 0 {
				break
			}
			text = text[:len(text)-1]
		}
	}
	return ""
}
