package shell

import (
	"bytes"

	"pollux/tool"
)

// The frame that marks output as not written by the user.
const (
	untrustedBegin = "<untrusted_context>\n"
	untrustedEnd   = "\n</untrusted_context>"
	outputBegin    = untrustedBegin + "Output: "
	indentedBegin  = untrustedBegin + "Output:\n"
)

var (
	closingTag    = []byte("</untrusted_context>")
	closingTagOut = []byte("&lt;/untrusted_context&gt;")
)

// modelText writes the output for the model, as it stands in the frame: without empty lines at
// its beginning and white space at its end, and with each closing tag of the frame escaped.
type modelText struct {
	to      *tool.Collector
	started bool
	space   []byte // white space that is dropped if the output ends here; first, an indentation
	partial []byte // the start of a closing tag whose end may be in the next piece
}

const (
	whiteSpace = " \t\r\n\v\f"
	maxSpace   = 1 << 20 // white space held back, in bytes; longer runs are written
)

func (m *modelText) write(p []byte) {
	if !m.started {
		if p = m.start(p); len(p) == 0 {
			return
		}
	}
	text := bytes.TrimRight(p, whiteSpace)
	if len(text) > 0 || len(m.space)+len(p) > maxSpace {
		m.escape(m.space)
		m.escape(text)
		m.space = m.space[:0]
	}
	m.space = append(m.space, p[len(text):]...)
}

// start returns p without white space at its beginning, and keeps the indentation of the first
// line in m.space. An indented first line gets a line of its own, so that it stays in line with
// the others.
func (m *modelText) start(p []byte) []byte {
	rest := bytes.TrimLeft(p, whiteSpace)
	blank := p[:len(p)-len(rest)]
	if i := bytes.LastIndexByte(blank, '\n'); i >= 0 || len(m.space)+len(blank) > maxSpace {
		m.space, blank = m.space[:0], blank[i+1:]
	}
	m.space = append(m.space, blank...)
	if m.started = len(rest) > 0; m.started && len(m.space) > 0 {
		m.to.Before = indentedBegin
	}
	return rest
}

func (m *modelText) finish() {
	m.put(m.partial)
	m.partial = nil
}

// escape writes p with closing tags escaped.
func (m *modelText) escape(p []byte) {
	if len(m.partial) > 0 && len(p) > 0 {
		n := len(m.partial)
		m.partial = append(m.partial, p[:min(len(p), len(closingTag)-n)]...)
		switch {
		case bytes.Equal(m.partial, closingTag):
			m.put(closingTagOut)
			p = p[len(closingTag)-n:]
		case bytes.HasPrefix(closingTag, m.partial): // may still become a tag
			return
		default: // no tag; a second < can only be in the rest of p
			m.put(m.partial[:n])
		}
		m.partial = m.partial[:0]
	}
	for {
		i := bytes.Index(p, closingTag)
		if i < 0 {
			break
		}
		m.put(p[:i])
		m.put(closingTagOut)
		p = p[i+len(closingTag):]
	}
	if i := bytes.LastIndexByte(p[max(0, len(p)-len(closingTag)+1):], '<'); i >= 0 {
		i += max(0, len(p)-len(closingTag)+1)
		if bytes.HasPrefix(closingTag, p[i:]) {
			m.partial = append(m.partial, p[i:]...)
			p = p[:i]
		}
	}
	m.put(p)
}

func (m *modelText) put(p []byte) {
	if len(p) > 0 {
		_, _ = m.to.Write(p) // never fails
	}
}
