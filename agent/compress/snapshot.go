package compress

import (
	"strings"

	"pollux/llm"
)

const (
	snapshotOpen  = "<state_snapshot>"
	snapshotClose = "</state_snapshot>"
	scratchClose  = "</scratchpad>"
)

// acknowledgement is the model's answer to a snapshot.
func acknowledgement() *llm.Content { return llm.Model(llm.Text(thanks)) }

// snapshot is what was found in a model's answer.
type snapshot struct {
	body   string
	whole  bool            // it has its end
	filled map[string]bool // the sections that hold something
}

// read finds the snapshot in an answer, false if there is none that could stand
// for a history. The scratchpad and all that is said around is left out. A
// snapshot without its tags will do if it has sections; then an apology won't.
func read(answer string, five bool) (snapshot, bool) {
	text := strings.ToValidUTF8(answer, "\uFFFD")
	if before, after, ok := strings.Cut(text, scratchClose); ok && strings.Contains(before, "<scratchpad>") {
		text = after
	}
	_, body, tagged := strings.Cut(text, snapshotOpen)
	s := snapshot{body: body, filled: map[string]bool{}}
	if end := strings.LastIndex(body, snapshotClose); tagged && end >= 0 {
		s.body, s.whole = body[:end], true
	}
	if !tagged {
		s.body = text
	}
	s.body = strings.TrimSpace(s.body)
	for _, part := range sections(five) {
		if holds(s.body, part.name) {
			s.filled[part.name] = true
		}
	}
	switch {
	case len(s.filled) > 0:
		return s, tagged || len(s.filled) > 1
	case tagged:
		return s, hasWords(s.body)
	}
	return s, false
}

// holds reports whether the section of this name is there and not empty.
func holds(body, name string) bool {
	_, rest, found := strings.Cut(body, "<"+name+">")
	content, _, _ := strings.Cut(rest, "</"+name+">")
	return found && hasWords(content)
}

// hasWords reports whether there is anything in s beside tags and comments.
func hasWords(s string) bool {
	for {
		s = strings.TrimSpace(s)
		if s == "" || s[0] != '<' {
			return s != ""
		}
		end := ">"
		if strings.HasPrefix(s, "<!--") {
			end = "-->"
		}
		_, rest, closed := strings.Cut(s, end)
		if !closed {
			return false
		}
		s = rest
	}
}

// better returns the one of two snapshots to go on with: the second, which was
// made to correct the first, unless it has lost something on the way.
func better(first, second snapshot) snapshot {
	if first.whole && !second.whole {
		return first
	}
	for name := range first.filled {
		if !second.filled[name] {
			return first
		}
	}
	return second
}

// String returns the snapshot as the model will see it: one pair of tags, whatever
// is quoted in it, so that the next summary finds all of it.
func (s snapshot) String() string {
	body := strings.NewReplacer("<state_snapshot", "&lt;state_snapshot", "</state_snapshot", "&lt;/state_snapshot").Replace(s.body)
	return snapshotOpen + "\n" + body + "\n" + snapshotClose
}
