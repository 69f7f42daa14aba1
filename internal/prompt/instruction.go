package prompt

import (
	"sync"

	"pollux/llm"
	"pollux/llm/catalog"
)

// Instruction is the system instruction of a session. It is made when it is
// first asked for, once for each family of models, and is the same value until
// a [Instruction.Refresh] makes another text: it heads every request, so that
// a new one costs the vendor's cache of the whole conversation. Its methods may
// be called from several goroutines at once.
type Instruction struct {
	values func(model string) System
	made   func(text string)

	mu     sync.Mutex
	modern said
	legacy said
}

// said is the instruction for one family.
type said struct {
	content *llm.Content
	text    string
	fresh   bool
}

// NewInstruction returns the instruction that values describe at the time. Made,
// if it is set, is shown each new text.
func NewInstruction(values func(model string) System, made func(text string)) *Instruction {
	return &Instruction{values: values, made: made}
}

// For returns the instruction for a model.
func (i *Instruction) For(model string) *llm.Content {
	i.mu.Lock()
	defer i.mu.Unlock()
	s := &i.legacy
	if catalog.Modern(model) {
		s = &i.modern
	}
	if s.fresh {
		return s.content
	}
	s.fresh = true
	values := i.values(model)
	values.Model = model
	if text := values.Text(); s.content == nil || text != s.text {
		s.content, s.text = llm.User(llm.Text(text)), text
		if i.made != nil {
			i.made(text)
		}
	}
	return s.content
}

// Refresh has the instruction looked at again: the approval mode, the tools,
// the skills, the agents or the memory have changed (spec/agent.md §22).
func (i *Instruction) Refresh() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.modern.fresh, i.legacy.fresh = false, false
}
