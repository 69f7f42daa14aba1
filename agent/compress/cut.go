package compress

import (
	"pollux/agent"
	"pollux/llm"
)

// cut is a position at which to cut a history.
type cut struct {
	at int // index of the first kept message
	// prompt, unless negative, is the index of an earlier message that is kept, too: the
	// prompt that all messages from at on work on.
	prompt int
	// inCall reports for the position before each message, and for the end, whether it is
	// between a call and its result.
	inCall []bool
}

// cut finds the position at which to cut messages, 0 if there is none. It prefers a position
// before a prompt. If that keeps most of the history, for example because much work follows a
// single prompt, it cuts between two rounds of tool calls.
//
// The kept part is a fraction of the history. If the history is larger than the window,
// because the model has changed, it is a fraction of the window.
func (w *compression) cut(messages []agent.Message) cut {
	c := cut{prompt: -1, inCall: callSpans(messages)}
	lengths, total := make([]int, len(messages)), 0
	var scratch []byte
	for i, m := range messages {
		scratch = m.Content.AppendJSON(scratch[:0])
		lengths[i] = countUnits(scratch)
		total += lengths[i]
	}
	preserve := w.Preserve
	if w.Limit > 0 && w.before > w.Limit {
		preserve *= float64(w.Limit) / float64(w.before)
	}
	c.at = split(messages, lengths, c.inCall, 1-preserve)
	kept := sum(lengths[c.at:])
	if c.at > summaryLen(messages) && float64(kept) <= 2*preserve*float64(total) {
		return c
	}
	if at := betweenRounds(messages, lengths, c.inCall, 1-preserve); at > c.at {
		c.at = at
		if p := promptBefore(messages, at); p >= 0 && float64(lengths[p]) <= preserve*float64(total) {
			c.prompt = p
		}
	}
	return c
}

// split returns the index of the first prompt that has at least the given fraction of the
// history before it. If there is none, split returns the end of the history if the model has
// the last word, and otherwise the index of the last prompt.
func split(messages []agent.Message, lengths []int, bound []bool, fraction float64) int {
	target := float64(sum(lengths)) * fraction
	before, last := 0, 0
	for i, m := range messages {
		if isPrompt(m) && !bound[i] {
			if float64(before) >= target {
				return i
			}
			last = i
		}
		before += lengths[i]
	}
	n := len(messages)
	if n > 0 && messages[n-1].Content.Role == llm.RoleModel && len(messages[n-1].Content.FunctionCalls()) == 0 && !bound[n] {
		return n
	}
	return last
}

// betweenRounds returns the index of the first response to tool results that has at least the
// given fraction of the history before it, or else of the last such response.
func betweenRounds(messages []agent.Message, lengths []int, bound []bool, fraction float64) int {
	target := float64(sum(lengths)) * fraction
	before, last := 0, 0
	for i, m := range messages {
		if i > 0 && m.Content.Role == llm.RoleModel && messages[i-1].Content.HasFunctionResponse() && !bound[i] {
			last = i
			if float64(before) >= target {
				break
			}
		}
		before += lengths[i]
	}
	return last
}

// promptBefore returns the index of the last prompt before index at. It returns -1 if there is
// none, or only a summary.
func promptBefore(messages []agent.Message, at int) int {
	for i := at - 1; i >= 0; i-- {
		if isPrompt(messages[i]) {
			if isSnapshot(messages[i]) {
				break
			}
			return i
		}
	}
	return -1
}

func isPrompt(m agent.Message) bool {
	return m.Content.Role == llm.RoleUser && !m.Content.HasFunctionResponse()
}

// callSpans reports for the position before each message, and for the end, whether it is
// between a call and its result. The result of a call in the last series of model messages may
// follow after the end.
func callSpans(messages []agent.Message) []bool {
	n := len(messages)
	begins, ends := make([]int, n+2), make([]int, n+2)
	waiting := map[string][]int{} // by callKey: indexes of messages with calls
	addSpan := func(from, to int) { begins[from+1]++; ends[to+1]++ }
	run := n // start of the last series of model messages
	for run > 0 && messages[run-1].Content.Role == llm.RoleModel {
		run--
	}
	for i, m := range messages {
		for k := range m.Content.Parts {
			p := &m.Content.Parts[k]
			if call := p.FunctionCall; call != nil {
				key := callKey(call.ID, call.Name)
				waiting[key] = append(waiting[key], i)
				if i >= run {
					addSpan(i, n)
				}
			}
			if r := p.FunctionResponse; r != nil {
				key := callKey(r.ID, r.Name)
				if calls := waiting[key]; len(calls) > 0 {
					addSpan(calls[0], i)
					waiting[key] = calls[1:]
				}
			}
		}
	}
	bound, open := make([]bool, n+1), 0
	for i := range bound {
		open += begins[i] - ends[i]
		bound[i] = open > 0
	}
	return bound
}

// callKey returns a key that a call and its result have in common.
func callKey(id, name string) string {
	if id != "" {
		return "#" + id
	}
	return name
}

// countUnits returns the number of UTF-16 units of JSON text.
func countUnits(json []byte) int {
	n := 0
	for _, b := range json {
		if b&0xC0 != 0x80 {
			n++
		}
		if b >= 0xF0 {
			n++
		}
	}
	return n
}

func sum(numbers []int) int {
	total := 0
	for _, n := range numbers {
		total += n
	}
	return total
}
