package agent

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"pollux/llm"
)

// interrupted stands in for the answer that a tool result never got.
const interrupted = "[The previous response was interrupted before it completed.]"

// Curated returns what of a conversation goes to a model (spec/agent.md §11.1):
// all but the runs of the model's messages of which one is invalid. But a call
// stays, freed of what is invalid beside it, for its result does. Where nothing is
// left out it returns messages.
func Curated(messages []Message) []Message {
	if !slices.ContainsFunc(messages, invalid) {
		return messages
	}
	kept := make([]Message, 0, len(messages))
	for len(messages) > 0 {
		n := 1
		for isModels(messages[0]) && n < len(messages) && isModels(messages[n]) {
			n++
		}
		run := messages[:n]
		messages = messages[n:]
		broken := slices.ContainsFunc(run, invalid)
		for _, m := range run {
			if broken {
				m.Content = remains(m.Content)
			}
			if m.Content != nil {
				kept = append(kept, m)
			}
		}
	}
	return kept
}

func isModels(m Message) bool { return m.Content.Role == llm.RoleModel }

// invalid reports whether a message of the model's may not be sent to one. None
// of a user's is left out.
func invalid(m Message) bool { return isModels(m) && slices.ContainsFunc(m.Content.Parts, isVoid) }

func isVoid(p llm.Part) bool { return p.IsEmpty() && !p.Thought && p.ThoughtSignature == "" }

// remains returns what is sent of a message in a run that is left out, nil for
// nothing.
func remains(c *llm.Content) *llm.Content {
	calls := func(p llm.Part) bool { return p.FunctionCall != nil }
	switch {
	case !slices.ContainsFunc(c.Parts, calls):
		return nil
	case !slices.ContainsFunc(c.Parts, isVoid):
		return c
	}
	return llm.Model(slices.DeleteFunc(slices.Clone(c.Parts), isVoid)...)
}

// history is a conversation in two forms: all that was said, and what of it goes
// to the model. Both grow together, so that neither is ever computed from the
// whole.
type history struct {
	all     []Message      // comprehensive
	curated []*llm.Content // the contents of what Curated would return

	// dropPrompt leaves out, with a run of which nothing is sent, the prompt that
	// it answers (the seeds' rule).
	dropPrompt bool

	tokens int  // of all, as we guess
	media  bool // there are some, whose size says nothing of their tokens
	run    int  // where in curated the current run of model messages begins
	broken bool // the current run holds an invalid message
}

// add appends m to both forms.
func (h *history) add(m Message) {
	h.all = append(h.all, m)
	h.curated = append(h.curated, m.Content)
	h.tokens += m.Content.Tokens()
	h.media = h.media || slices.ContainsFunc(m.Content.Parts, holdsMedia)
	switch {
	case !isModels(m):
		h.run, h.broken = len(h.curated), false
	case h.broken:
		h.leave(len(h.curated) - 1)
	case invalid(m):
		h.broken = true
		h.leave(h.run)
		if h.dropPrompt && h.run > 0 && h.run == len(h.curated) {
			h.run--
			h.curated = h.curated[:h.run]
		}
	}
}

// leave takes out of curated, from index n on, what does not remain.
func (h *history) leave(n int) {
	kept := h.curated[:n]
	for _, c := range h.curated[n:] {
		if c = remains(c); c != nil {
			kept = append(kept, c)
		}
	}
	h.curated = kept
}

// set replaces the conversation.
func (h *history) set(messages []Message) {
	*h = history{dropPrompt: h.dropPrompt}
	for _, m := range messages {
		h.add(m)
	}
}

// cut forgets all messages from index n on.
func (h *history) cut(n int) {
	if n < len(h.all) {
		h.set(slices.Clone(h.all[:n]))
	}
}

// last returns the newest message's content, nil if there is none.
func (h *history) last() *llm.Content {
	if len(h.all) == 0 {
		return nil
	}
	return h.all[len(h.all)-1].Content
}

// contents returns what goes to the model. The caller may append to it; it is
// not a copy, so that a turn does not pay for the turns before it.
func (h *history) contents() []*llm.Content { return slices.Clip(h.curated) }

// withIDs returns messages in which every function call and response has an
// id: a call and the response of the same name that answers it share one. The
// ids are made of the position alone, so that the same history gets the same
// ids each time it is loaded.
func withIDs(messages []Message) []Message {
	out := slices.Clone(messages)
	pending := map[string][]string{} // ids of calls that wait for a response, by name
	for i := range out {
		c := out[i].Content
		if !slices.ContainsFunc(c.Parts, lacksID) {
			continue
		}
		copied := &llm.Content{Role: c.Role, Parts: slices.Clone(c.Parts)}
		for k := range copied.Parts {
			switch p := &copied.Parts[k]; {
			case p.FunctionCall != nil && p.FunctionCall.ID == "":
				call := *p.FunctionCall
				call.ID = fmt.Sprintf("synth_%s_%s", call.Name, positionHash(out[i].ID, i, k))
				pending[call.Name] = append(pending[call.Name], call.ID)
				p.FunctionCall = &call
			case p.FunctionResponse != nil && p.FunctionResponse.ID == "":
				r := *p.FunctionResponse
				if ids := pending[r.Name]; len(ids) > 0 {
					r.ID, pending[r.Name] = ids[0], ids[1:]
				} else {
					r.ID = fmt.Sprintf("synth_orph_%s_%s", r.Name, positionHash(out[i].ID, i, k))
				}
				p.FunctionResponse = &r
			}
		}
		out[i].Content = copied
	}
	return out
}

func lacksID(p llm.Part) bool {
	return p.FunctionCall != nil && p.FunctionCall.ID == "" ||
		p.FunctionResponse != nil && p.FunctionResponse.ID == ""
}

func positionHash(id string, message, part int) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s/%d/%d", id, message, part))
	return hex.EncodeToString(sum[:16])
}
