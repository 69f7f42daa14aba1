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

func acknowledgement() *llm.Content { return llm.Model(llm.Text(acknowledgementText)) }

// snapshot is a snapshot found in a model's answer.
type snapshot struct {
	body       string
	isComplete bool            // it has a closing tag
	isProse    bool            // it has no tags at all
	filled     map[string]bool // names of sections that are not empty
}

// parseSnapshot finds the snapshot in an answer. It returns false if there is none that can
// replace a history. It removes thoughts, the scratchpad and all text around the snapshot. A
// snapshot without its tags is accepted if it has at least two sections, or if it is prose of
// some length, so that an apology is not. A weak model writes prose, which is better than none.
func parseSnapshot(answer string, five bool) (snapshot, bool) {
	text := strings.ToValidUTF8(answer, "\uFFFD")
	if before, after, ok := strings.Cut(text, scratchClose); ok && strings.Contains(before, "<scratchpad>") {
		text = after
	}
	text = withoutThoughts(text)
	_, body, tagged := strings.Cut(text, snapshotOpen)
	s := snapshot{body: body, filled: map[string]bool{}}
	if end := strings.LastIndex(body, snapshotClose); tagged && end >= 0 {
		s.body, s.isComplete = body[:end], true
	}
	if !tagged {
		s.body = text
	}
	s.body = strings.TrimSpace(s.body)
	for _, part := range sections(five) {
		if hasSection(s.body, part.name) {
			s.filled[part.name] = true
		}
	}
	switch {
	case len(s.filled) > 0:
		return s, tagged || len(s.filled) > 1
	case tagged:
		return s, hasWords(s.body)
	}
	s.isProse = llm.EstimateTokens([]llm.Part{{Text: s.body}}) >= minProse
	return s, s.isProse
}

// isWellFormed reports whether the model has kept to the form: it has closed the snapshot, and
// most sections are there.
func (s snapshot) isWellFormed() bool { return s.isComplete && len(s.filled) >= 3 }

// minProse is the size of the shortest summary in prose, in tokens.
const minProse = 60

// withoutThoughts returns text without the thoughts that some models write before their answer.
func withoutThoughts(text string) string {
	for _, tag := range []string{"think", "thinking", "thought"} {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(text), "<"+tag+">"); ok {
			if _, answer, closed := strings.Cut(rest, "</"+tag+">"); closed {
				return answer
			}
		}
	}
	return text
}

// hasSection reports whether body contains the section, and it is not empty.
func hasSection(body, name string) bool {
	_, rest, found := strings.Cut(body, "<"+name+">")
	content, _, _ := strings.Cut(rest, "</"+name+">")
	return found && hasWords(content)
}

// hasWords reports whether s contains anything but tags and comments.
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

// chooseSnapshot returns the second of two snapshots, which corrects the first, unless it is
// incomplete or lacks a section that the first has.
func chooseSnapshot(first, second snapshot) snapshot {
	if first.isComplete && !second.isComplete || second.isProse {
		return first
	}
	for name := range first.filled {
		if !second.filled[name] {
			return first
		}
	}
	return second
}

// bodyOf returns the body of the snapshot in a message, without the note after it.
func bodyOf(text string) string {
	body, _, _ := strings.Cut(strings.TrimPrefix(text, snapshotOpen), snapshotClose)
	return strings.TrimSpace(body)
}

// String returns the snapshot as the model gets it. It has exactly one pair of tags, because
// quoted tags are escaped, so that the next compression finds all of it.
func (s snapshot) String() string {
	body := strings.NewReplacer("<state_snapshot", "&lt;state_snapshot", "</state_snapshot", "&lt;/state_snapshot").Replace(s.body)
	return snapshotOpen + "\n" + body + "\n" + snapshotClose
}
