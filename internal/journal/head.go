package journal

import (
	"bytes"
	"encoding/json"
	"strings"
)

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
		text := rest
		for i := 0; i < len(rest); i++ {
			if rest[i] == '"' {
				text = rest[:i]
				break
			}
			if rest[i] == '\\' {
				i++
			}
		}
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
