package compress

import (
	"pollux/agent"
	"pollux/llm"
)

// cut is where a history is cut in two.
type cut struct {
	at int // the first message that is kept
	// prompt, unless negative, is an earlier message that is kept too: the prompt
	// that all the messages from at on are work for.
	prompt int
	// bound says of each message whether a cut before it would come between a
	// call and its result; it has one more, for the end.
	bound []bool
}

// cut finds the place to cut messages, 0 if there is none: where the rule says,
// or between two rounds of calls if otherwise most of the history would be left,
// as with one prompt that a long work follows.
//
// What is kept is a share of the history, or of the window where that is
// smaller, because another model has taken over.
func (w *work) cut(messages []agent.Message) cut {
	c := cut{prompt: -1, bound: bound(messages)}
	lengths, total := make([]int, len(messages)), 0
	var scratch []byte
	for i, m := range messages {
		scratch = m.Content.AppendJSON(scratch[:0])
		lengths[i] = units(scratch)
		total += lengths[i]
	}
	preserve := w.Preserve
	if w.Limit > 0 && w.before > w.Limit {
		preserve *= float64(w.Limit) / float64(w.before)
	}
	c.at = split(messages, lengths, c.bound, 1-preserve)
	kept := sum(lengths[c.at:])
	if c.at > leading(messages) && float64(kept) <= 2*preserve*float64(total) {
		return c
	}
	if at := betweenRounds(messages, lengths, c.bound, 1-preserve); at > c.at {
		c.at = at
		if p := promptBefore(messages, at); p >= 0 && float64(lengths[p]) <= preserve*float64(total) {
			c.prompt = p
		}
	}
	return c
}

// split returns the index of the first message to keep (spec/agent.md §16.6):
// that of the first prompt before which there is at least this fraction of the
// history; if there is none, all of it goes if the model has had the last word,
// else what stands before the last prompt.
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

// betweenRounds returns the index of the first answer to results of tools before
// which there is at least this fraction, else of the last one.
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

// promptBefore returns the index of the last prompt before index at, -1 if there
// is none, or only the summary of an earlier one.
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

// bound returns where messages must not be cut: between a call and its result,
// and behind a call at the end whose result is yet to come.
func bound(messages []agent.Message) []bool {
	n := len(messages)
	begins, ends := make([]int, n+2), make([]int, n+2)
	waiting := map[string][]int{} // where calls were made, by what names them
	ties := func(from, to int) { begins[from+1]++; ends[to+1]++ }
	run := n // where the model's last words begin
	for run > 0 && messages[run-1].Content.Role == llm.RoleModel {
		run--
	}
	for i, m := range messages {
		for k := range m.Content.Parts {
			p := &m.Content.Parts[k]
			if call := p.FunctionCall; call != nil {
				key := key(call.ID, call.Name)
				waiting[key] = append(waiting[key], i)
				if i >= run {
					ties(i, n)
				}
			}
			if r := p.FunctionResponse; r != nil {
				key := key(r.ID, r.Name)
				if calls := waiting[key]; len(calls) > 0 {
					ties(calls[0], i)
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

// key is what a call and its result have in common.
func key(id, name string) string {
	if id != "" {
		return "#" + id
	}
	return name
}

// units counts the UTF-16 units of JSON.
func units(json []byte) int {
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
