package a2a

import (
	"encoding/json"
	"slices"

	"pollux/internal/face/a2a/schema"
	"pollux/internal/face/kit"
)

// maxHistory is the size of the messages of a task that are kept in memory, in bytes. The session on disk has all.
const maxHistory = 1 << 20

// history has the last messages of a task.
type history struct {
	messages []schema.Message
	sizes    []int
	size     int
}

// add adds a message, or continues the last one if it has the same id.
func (h *history) add(m schema.Message) {
	size := 0
	if data, err := json.Marshal(m); err == nil {
		size = len(data)
	}
	if n := len(h.messages) - 1; n >= 0 && h.messages[n].MessageID == m.MessageID && h.messages[n].Role == m.Role {
		h.messages[n] = joined(h.messages[n], m)
		h.sizes[n] += size
	} else {
		h.messages, h.sizes = append(h.messages, m), append(h.sizes, size)
	}
	h.size += size
	cut := 0
	for ; h.size > maxHistory && cut < len(h.messages); cut++ {
		h.size -= h.sizes[cut]
	}
	h.messages, h.sizes = slices.Delete(h.messages, 0, cut), slices.Delete(h.sizes, 0, cut)
}

// joined returns a message with the parts of the next piece of it. Two texts become one. The message given does not change: clients may have it.
func joined(m, more schema.Message) schema.Message {
	m.Parts = slices.Clone(m.Parts)
	last := &m.Parts[len(m.Parts)-1]
	if last.Text != nil && len(more.Parts) == 1 && more.Parts[0].Text != nil {
		*last = schema.TextPart(*last.Text + *more.Parts[0].Text)
	} else {
		m.Parts = append(m.Parts, more.Parts...)
	}
	return m
}

// last returns the last n messages, nil for all.
func (h *history) last(n *int) []schema.Message {
	list := h.messages
	if n != nil {
		list = list[max(0, len(list)-*n):]
	}
	return append([]schema.Message{}, list...)
}

// maxOutputs is the number of outputs of calls that are kept of a task, each of [kit.MaxText].
const maxOutputs = 20

// outputs are the outputs of the last tool calls of a task, by the ids of their artifacts.
type outputs struct {
	ids  []string
	text map[string]string
}

// add adds a piece of an output, or replaces it.
func (o *outputs) add(id, text string, isAppended bool) {
	if o.text == nil {
		o.text = map[string]string{}
	}
	if _, isKnown := o.text[id]; !isKnown {
		o.ids = append(o.ids, id)
	}
	if len(o.ids) > maxOutputs {
		delete(o.text, o.ids[0])
		o.ids = slices.Delete(o.ids, 0, 1)
	}
	if isAppended {
		text = o.text[id] + text
	}
	o.text[id] = kit.Tail(text, 0)
}

// list returns the outputs as artifacts.
func (o *outputs) list() []schema.Artifact {
	list := []schema.Artifact{}
	for _, id := range o.ids {
		list = append(list, schema.Artifact{ID: id, Parts: []schema.Part{schema.TextPart(o.text[id])}})
	}
	return list
}
