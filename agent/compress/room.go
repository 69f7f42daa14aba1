package compress

import (
	"context"
	"fmt"
	"strings"

	"pollux/agent"
	"pollux/agent/shorten"
	"pollux/llm"
	"pollux/tool"
)

// fitRoom returns the history of head and body, and makes it fit Room if it does not: it shortens
// the results of tools, and then drops the oldest rounds. done is the outcome so far.
func (w *compression) fitRoom(ctx context.Context, body []agent.Message, done agent.Compression) ([]agent.Message, agent.Compression) {
	size := done.After
	if !done.Shorter() {
		size = w.before
	}
	if w.Room > 0 && size > w.Room {
		room := int(float64(w.Room)/w.factor) - w.fixed - estimate(w.head)
		short := w.dropOldest(w.shortenResults(ctx, body, room), room)
		if after := w.scaled(w.estimate(short)); after < size {
			if !done.Shorter() {
				done.Status = agent.CompressContentTruncated
			}
			done.Before, done.After = w.before, after
			return w.withHead(short), done
		}
	}
	if !done.Shorter() {
		return w.History, done
	}
	return w.withHead(body), done
}

// shortenResults shortens the results of tools so that messages have at most room tokens, if that
// is possible.
func (w *compression) shortenResults(ctx context.Context, messages []agent.Message, room int) []agent.Message {
	contents := make([]*llm.Content, len(messages))
	for i, m := range messages {
		contents[i] = m.Content
	}
	o := shorten.Options{Warn: w.Warn}
	if w.Save != nil {
		o.Save = func(tool, _, text string) (string, error) {
			w.files++
			return w.Save(tool, w.files, text)
		}
	}
	short := shorten.New(o).ShortenAll(ctx, contents, room)
	changed := make([]agent.Message, len(messages))
	for i, m := range messages {
		m.Content = short[i]
		changed[i] = m
	}
	return changed
}

// dropOldest replaces the oldest messages by an outline so that the rest has at most room tokens.
// It keeps a call together with its result, and the last round in any case.
func (w *compression) dropOldest(messages []agent.Message, room int) []agent.Message {
	tokens := estimate(messages)
	if tokens <= room {
		return messages
	}
	inCall := callSpans(messages)
	at := 0
	for i := range messages {
		if tokens <= room-room/outlinePart {
			break
		}
		tokens -= messages[i].Content.Tokens()
		if next := i + 1; next < len(messages) && !inCall[next] {
			at = next
		}
	}
	if at <= summaryLen(messages) {
		return messages
	}
	facts := w.facts(messages, at, room/outlinePart/2)
	note := llm.EstimateTokens([]llm.Part{{Text: facts + newerNote}})
	summary := snapshot{body: outline(messages[:at], max(room/outlinePart-note, 100))}.String()
	return w.tail(summary+facts, cut{at: at, prompt: -1}, messages)
}

// outlinePart is the part of the room that an outline may have.
const outlinePart = 8

// outline summarizes messages without a model: it lists the summary of an earlier compression,
// the prompts of the user, and the calls and answers of the model. If the list exceeds about the
// given number of tokens, it keeps the newest prompts, and the newest calls and answers that fit
// beside them.
func outline(messages []agent.Message, tokens int) string {
	const note = "The older part of this conversation did not fit into the context window and could not be " +
		"summarised. This is what is left of it: what the user wrote, and what was called."
	room := tokens - llm.EstimateTokens([]llm.Part{{Text: note}})
	var lines []outlineLine
	for _, m := range messages {
		lines = append(lines, outlineOf(m, max(room, 50))...)
	}
	for _, user := range []bool{true, false} {
		for i := len(lines) - 1; i >= 0; i-- {
			if l := &lines[i]; l.isUser == user {
				if room -= llm.EstimateTokens([]llm.Part{{Text: l.text}}) + 1; room < 0 {
					break
				}
				l.isKept = true
			}
		}
	}
	var b strings.Builder
	b.WriteString(note)
	for _, l := range lines {
		if l.isKept {
			b.WriteString("\n" + l.text)
		}
	}
	return b.String()
}

// outlineLine is a line of an outline. The words of the user, and older summaries, are isUser.
type outlineLine struct {
	text           string
	isUser, isKept bool
}

// outlineOf returns the lines of an outline for one message, each at most limit characters long;
// a summary may have twice as many.
func outlineOf(m agent.Message, limit int) []outlineLine {
	var lines []outlineLine
	for _, p := range m.Content.Parts {
		switch {
		case p.FunctionCall != nil:
			call := fmt.Sprintf("called: %s %s", p.FunctionCall.Name, p.FunctionCall.Args)
			lines = append(lines, outlineLine{text: clip(call, min(limit, 200))})
		case p.FunctionResponse != nil, p.Thought, strings.TrimSpace(p.Text) == "", p.Text == acknowledgementText:
		case isSnapshot(m):
			lines = append(lines, outlineLine{text: clip(bodyOf(p.Text), 2*limit), isUser: true})
		case m.Content.Role == llm.RoleUser:
			lines = append(lines, outlineLine{text: "user: " + clip(p.Text, limit), isUser: true})
		default:
			lines = append(lines, outlineLine{text: "answer: " + clip(p.Text, min(limit, 500))})
		}
	}
	return lines
}

// clip returns the first and the last characters of text, limit in all.
func clip(text string, limit int) string {
	if tool.Units(text) <= limit {
		return text
	}
	half := limit / 2
	return strings.ToValidUTF8(text[:min(half, len(text))], "") + " [...] " + tool.Last(text, half)
}
