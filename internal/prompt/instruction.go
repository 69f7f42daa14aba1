package prompt

import (
	"sync"

	"pollux/llm"
	"pollux/tool"
)

// Instruction is the system instruction of a session. It is built when it is first needed,
// once for each form of the tools' declarations, and stays the same value until other tools or
// [Instruction.Refresh] result in another text: it is the start of every request, so that a
// change invalidates the vendor's cache of the whole conversation. It is safe for concurrent
// use.
type Instruction struct {
	values func(form tool.Form) System
	tools  func() uint64
	made   func(text string)

	mu    sync.Mutex
	forms [tool.Compact + 1]built
}

// built is the instruction in one form.
type built struct {
	content *llm.Content
	text    string
	fresh   bool
	tools   uint64 // version of the tools that text describes
}

// NewInstruction returns an instruction built from the result of values. tools returns the
// version of the session's tools (see tool.Registry): when it changes, the text is built again.
// made, if set, is called with each new text.
func NewInstruction(values func(form tool.Form) System, tools func() uint64, made func(text string)) *Instruction {
	return &Instruction{values: values, tools: tools, made: made}
}

// For returns the instruction in a form.
func (i *Instruction) For(form tool.Form) *llm.Content {
	i.mu.Lock()
	defer i.mu.Unlock()
	s := &i.forms[form]
	tools := i.tools()
	if s.fresh && s.tools == tools {
		return s.content
	}
	s.fresh, s.tools = true, tools
	values := i.values(form)
	values.Form = form
	if text := values.Text(); s.content == nil || text != s.text {
		s.content, s.text = llm.User(llm.Text(text)), text
		if i.made != nil {
			i.made(text)
		}
	}
	return s.content
}

// Refresh marks the instruction as outdated. It must be called when the approval mode, skills,
// agents or memory have changed. The instruction notices a change of the tools by itself.
func (i *Instruction) Refresh() {
	i.mu.Lock()
	defer i.mu.Unlock()
	for form := range i.forms {
		i.forms[form].fresh = false
	}
}
