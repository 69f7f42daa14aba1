package agent

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"pollux/llm"
)

// The first two stand in for the answer that a tool result never got: limitText where no request was left for it.
// brokenOffText ends an answer that was cancelled while it arrived.
const (
	interruptedText = "[The previous response was interrupted before it completed.]"
	brokenOffText   = "[This answer was interrupted here.]"
	limitText       = "[The limit of requests was reached.]"
)

// Curated returns the part of a conversation that is sent to a model. It drops each series of
// model messages that contains an empty part, but keeps in it messages with tool calls,
// without their empty parts, because the results of the calls are kept. If nothing is dropped,
// Curated returns messages itself.
func Curated(messages []Message) []Message {
	if !slices.ContainsFunc(messages, isInvalid) {
		return messages
	}
	kept := make([]Message, 0, len(messages))
	for len(messages) > 0 {
		n := 1
		for isFromModel(messages[0]) && n < len(messages) && isFromModel(messages[n]) {
			n++
		}
		run := messages[:n]
		messages = messages[n:]
		broken := slices.ContainsFunc(run, isInvalid)
		for _, m := range run {
			if broken {
				m.Content = validRest(m.Content)
			}
			if m.Content != nil {
				kept = append(kept, m)
			}
		}
	}
	return kept
}

func isFromModel(m Message) bool { return m.Content.Role == llm.RoleModel }

// isInvalid reports whether m is a model message with an empty part. User messages are always
// valid.
func isInvalid(m Message) bool {
	return isFromModel(m) && slices.ContainsFunc(m.Content.Parts, isEmptyPart)
}

func isEmptyPart(p llm.Part) bool { return p.IsEmpty() && !p.Thought && p.ThoughtSignature == "" }

// validRest returns the valid part of a message in a dropped series, nil for none.
func validRest(c *llm.Content) *llm.Content {
	calls := func(p llm.Part) bool { return p.FunctionCall != nil }
	switch {
	case !slices.ContainsFunc(c.Parts, calls):
		return nil
	case !slices.ContainsFunc(c.Parts, isEmptyPart):
		return c
	}
	return llm.Model(slices.DeleteFunc(slices.Clone(c.Parts), isEmptyPart)...)
}

// history holds a conversation in two forms: all messages, and the contents that are sent to
// the model. Each new message updates both, so that no turn scans the whole history.
type history struct {
	all     []Message      // comprehensive
	curated []*llm.Content // the contents that Curated would return

	// dropPrompt also drops the prompt of a series of which nothing is sent.
	dropPrompt bool

	tokens       int          // of all, estimated
	results      []pastResult // at the end of all, see maxEarlier
	hasMedia     bool         // some messages hold media, whose tokens cannot be estimated
	runStart     int          // index in curated of the current series of model messages
	isRunInvalid bool         // the current series contains an invalid message
}

// add appends m to both forms.
func (h *history) add(m Message) {
	h.index(m.Content)
	h.all = append(h.all, m)
	h.curated = append(h.curated, m.Content)
	h.tokens += m.Content.Tokens()
	h.hasMedia = h.hasMedia || slices.ContainsFunc(m.Content.Parts, holdsMedia)
	switch {
	case !isFromModel(m):
		h.runStart, h.isRunInvalid = len(h.curated), false
	case h.isRunInvalid:
		h.dropInvalid(len(h.curated) - 1)
	case isInvalid(m):
		h.isRunInvalid = true
		h.dropInvalid(h.runStart)
		if h.dropPrompt && h.runStart > 0 && h.runStart == len(h.curated) {
			h.runStart--
			h.curated = h.curated[:h.runStart]
		}
	}
}

// dropInvalid reduces each content of curated from index n on to its validRest.
func (h *history) dropInvalid(n int) {
	kept := h.curated[:n]
	for _, c := range h.curated[n:] {
		if c = validRest(c); c != nil {
			kept = append(kept, c)
		}
	}
	h.curated = kept
}

func (h *history) set(messages []Message) {
	*h = history{dropPrompt: h.dropPrompt}
	countTokens(messages)
	for _, m := range messages {
		h.add(m)
	}
}

// countTokens counts the tokens of messages, if they are so many that it pays to share the work between all processors.
// [history.add] counts those of others.
func countTokens(messages []Message) {
	const many = 256
	if len(messages) < many {
		return
	}
	var work sync.WaitGroup
	var failed panics
	for part := range slices.Chunk(messages, len(messages)/runtime.GOMAXPROCS(0)+1) {
		work.Go(func() {
			defer failed.catch()
			for _, m := range part {
				m.Content.Tokens()
			}
		})
	}
	work.Wait()
	failed.raise()
}

// cut removes all messages from index n on.
func (h *history) cut(n int) {
	if n < len(h.all) {
		h.set(slices.Clone(h.all[:n]))
	}
}

// contents returns the contents to send to the model. They are not copied, because the cost of
// a turn must not depend on earlier turns. The caller may append to the slice.
func (h *history) contents() []*llm.Content { return slices.Clip(h.curated) }

// withIDs returns messages in which every function call and response has an id. A call and its
// response, found by name, share one. The ids depend on positions only, so that a history gets
// the same ids each time it is loaded.
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
