package compress

import (
	"strings"

	"pollux/agent"
	"pollux/llm"
)

// Fact is something that the program knows of the state of the work, whatever a summary says, such as the commands that run.
type Fact struct {
	Name string // of the element that has it
	Text string // in lines; "" for nothing
}

// maxFacts limits the facts after a snapshot, in tokens. In a small window, they have at most this share of it.
const (
	maxFacts   = 2000
	factsShare = 16
)

// factsNote precedes the facts.
const factsNote = "[The program adds this, as it was when the snapshot was written.]"

// facts returns the text after a snapshot with the facts of now, "" if there are none. The snapshot replaces the messages
// before at. The facts have at most room tokens.
func (w *compression) facts(messages []agent.Message, at, room int) string {
	if w.Facts == nil {
		return ""
	}
	room = min(room, maxFacts)
	if limit := w.CompressRequest.Limit; limit > 0 {
		room = min(room, limit/factsShare)
	}
	var b strings.Builder
	for _, f := range w.Facts(messages[:at], messages[at:]) {
		if text := firstLines(f.Text, &room); text != "" {
			b.WriteString("\n<" + f.Name + ">\n" + text + "</" + f.Name + ">")
		}
	}
	if b.Len() == 0 {
		return ""
	}
	return "\n\n" + factsNote + b.String()
}

// firstLines returns the lines of a text that have room, with a mark if there are more.
func firstLines(text string, room *int) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n") + "\n"
		if *room -= llm.EstimateTokens([]llm.Part{{Text: line}}); *room < 0 {
			b.WriteString("[...]\n")
			break
		}
		b.WriteString(line)
	}
	return b.String()
}

// Earlier returns the text of a fact that follows the snapshot at the beginning of messages, "" if there is none.
func Earlier(messages []agent.Message, name string) string {
	if summaryLen(messages) == 0 {
		return ""
	}
	_, after, _ := strings.Cut(messages[0].Content.Text(), snapshotClose)
	_, after, found := strings.Cut(after, "\n<"+name+">\n")
	text, _, closed := strings.Cut(after, "\n</"+name+">")
	if !found || !closed {
		return ""
	}
	return text
}
