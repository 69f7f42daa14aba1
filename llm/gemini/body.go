package gemini

import (
	"io"

	"pollux/llm"
)

// body is a request body in pieces: those that are kept with the messages they
// encode, and what goes between them. Making one copies nothing of the history.
type body struct {
	pieces [][]byte
	size   int64
}

func newBody(messages int) *body {
	return &body{pieces: make([][]byte, 0, 2*messages+8)}
}

func (b *body) add(piece []byte) {
	if len(piece) > 0 {
		b.pieces = append(b.pieces, piece)
		b.size += int64(len(piece))
	}
}

// The pieces between messages, which every body shares.
var (
	userOpen  = []byte(`{"role":"user","parts":[`)
	modelOpen = []byte(`{"role":"model","parts":[`)
	comma     = []byte(`,`)
	closing   = []byte(`]}`)
	nextUser  = []byte(`]},{"role":"user","parts":[`)
	nextModel = []byte(`]},{"role":"model","parts":[`)
)

func (b *body) text(s string) {
	switch s {
	case `,`:
		b.add(comma)
	case `]}`:
		b.add(closing)
	default:
		b.add([]byte(s))
	}
}

// contents adds messages, those of one role that follow each other as one
// (spec/agent.md §3): the service wants the two to take turns.
func (b *body) contents(contents []*llm.Content) {
	var last llm.Role
	for _, c := range contents {
		parts := c.Encoded(wire, appendContent)
		if len(parts) == 0 {
			continue
		}
		role := llm.RoleUser
		if c.Role == llm.RoleModel {
			role = llm.RoleModel
		}
		switch {
		case role == last:
			b.add(comma)
		case last == "" && role == llm.RoleUser:
			b.add(userOpen)
		case last == "":
			b.add(modelOpen)
		case role == llm.RoleUser:
			b.add(nextUser)
		default:
			b.add(nextModel)
		}
		last = role
		b.add(parts)
	}
	if last != "" {
		b.add(closing)
	}
}

// reader reads the body from its start.
func (b *body) reader() io.ReadCloser { return &bodyReader{pieces: b.pieces} }

type bodyReader struct {
	pieces [][]byte
	offset int // into pieces[0]
}

func (r *bodyReader) Read(p []byte) (n int, err error) {
	for n < len(p) {
		if len(r.pieces) == 0 {
			if n == 0 && len(p) > 0 {
				return 0, io.EOF
			}
			return n, nil
		}
		copied := copy(p[n:], r.pieces[0][r.offset:])
		n += copied
		r.offset += copied
		if r.offset == len(r.pieces[0]) {
			r.pieces, r.offset = r.pieces[1:], 0
		}
	}
	return n, nil
}

func (r *bodyReader) Close() error { return nil }
