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

// history is a conversation in two forms (spec/agent.md §11.1): all that was
// said, and what of it goes to the model. Both grow together, so that neither
// is ever computed from the whole.
type history struct {
	all     []Message      // comprehensive
	curated []*llm.Content // without runs of model messages of which one is invalid

	// dropPrompt leaves out, with a run, the prompt that it answers (the seeds' rule).
	dropPrompt bool

	run    int  // where in curated the current run of model messages begins
	broken bool // the current run holds an invalid message
}

// add appends m to both forms.
func (h *history) add(m Message) {
	h.all = append(h.all, m)
	if m.Content.Role != llm.RoleModel {
		h.curated = append(h.curated, m.Content)
		h.run, h.broken = len(h.curated), false
		return
	}
	if !valid(m.Content) {
		h.curated = h.curated[:h.run]
		if h.dropPrompt && !h.broken && h.run > 0 {
			h.curated = h.curated[:h.run-1]
			h.run--
		}
		h.broken = true
	}
	if !h.broken {
		h.curated = append(h.curated, m.Content)
	}
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

// valid reports whether a message may be sent to a model.
func valid(c *llm.Content) bool {
	if c.Role == llm.RoleUser && len(c.Parts) == 0 {
		return false
	}
	for i := range c.Parts {
		if p := &c.Parts[i]; p.IsEmpty() && !p.Thought && p.ThoughtSignature == "" {
			return false
		}
	}
	return true
}

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
