package chatwire

import (
	"strings"

	"pollux/llm"
	"pollux/llm/think"
)

// Assembler collects the text, thoughts and calls of a response and returns
// them in chunks. It separates thoughts from text.
type Assembler struct {
	// Splitter finds thoughts in the text by their tags. It is not used if
	// Untagged is set: tags are then ordinary text.
	Splitter think.Splitter
	Untagged bool
	// IsWhole reports whether the whole text is added by one call of AddText.
	IsWhole bool
	// KeepThoughts makes Thoughts collect the text of all thoughts.
	KeepThoughts bool
	Thoughts     strings.Builder

	ID, Model  string     // as the service sent them
	Parts      []llm.Part // not yet returned in a chunk
	HasContent bool       // anything was added
	HasText    bool       // visible text was added

	isSplitting     bool // Splitter has received text
	hasThoughtField bool // a thought arrived in a separate field
}

// AddText adds text of the response, which may contain tagged thoughts.
func (a *Assembler) AddText(s string) {
	if s == "" {
		return
	}
	a.HasContent = true
	switch {
	case a.Untagged, a.hasThoughtField && !a.isSplitting && !a.Splitter.Opened: // thoughts have their own field
		a.HasText = true
		a.Parts = append(a.Parts, llm.Part{Text: s})
	case a.IsWhole:
		a.addParts(a.Splitter.Split(s))
	default:
		a.isSplitting = true
		a.addParts(a.Splitter.Add(s))
	}
}

func (a *Assembler) addParts(parts []llm.Part) {
	for i := range parts {
		if parts[i].Thought {
			a.keepThought(parts[i].Text)
		} else {
			a.HasText = true
		}
	}
	a.Parts = append(a.Parts, parts...)
}

// AddThought adds a thought that arrived separately from the text.
func (a *Assembler) AddThought(s string) {
	if s != "" {
		a.HasContent, a.hasThoughtField = true, true
		a.Parts = append(a.Parts, llm.Part{Text: s, Thought: true})
		a.keepThought(s)
	}
}

func (a *Assembler) keepThought(thought string) {
	if a.KeepThoughts {
		a.Thoughts.WriteString(thought)
	}
}

// Flush adds the text that Splitter holds back. Call it at the end of the
// response.
func (a *Assembler) Flush() { a.addParts(a.Splitter.Flush()) }

// singlePartChunk allocates all objects of a chunk with one part at once.
type singlePartChunk struct {
	response  llm.Response
	candidate [1]llm.Candidate
	content   llm.Content
	part      [1]llm.Part
}

// Chunk returns the parts added since the last chunk, or nil if there are none.
func (a *Assembler) Chunk() *llm.Response {
	if len(a.Parts) == 0 {
		return nil
	}
	c := new(singlePartChunk)
	if len(a.Parts) == 1 {
		c.part[0] = a.Parts[0]
		c.content.Parts = c.part[:]
	} else {
		c.content.Parts = append([]llm.Part(nil), a.Parts...)
	}
	a.Parts = a.Parts[:0]
	c.content.Role = llm.RoleModel
	c.candidate[0].Content = &c.content
	c.response.Candidates = c.candidate[:]
	c.response.ResponseID, c.response.ModelVersion = a.ID, a.Model
	return &c.response
}

// LastChunk returns the parts added since the last chunk, if any, in a response
// to which the caller adds the finish reason and usage.
func (a *Assembler) LastChunk() *llm.Response {
	if c := a.Chunk(); c != nil {
		return c
	}
	return &llm.Response{Candidates: []llm.Candidate{{}}, ResponseID: a.ID, ModelVersion: a.Model}
}

// CheckOpening checks whether the response began inside a thought, without an
// opening tag. calls is the number of its tool calls, and learned reports
// whether an earlier response of the model set Splitter.Opened. If the
// expectation was wrong, CheckOpening passes the correct value of Opened and a
// log message to remember, and returns an [*llm.Error] of kind
// [llm.KindIncomplete], so that the caller asks again.
func (a *Assembler) CheckOpening(learned bool, calls int, remember func(opened bool, message string)) error {
	switch {
	case a.Splitter.Unopened() && !a.Splitter.Opened:
		remember(true, "its answers begin in the middle of a thought: asking again")
	case learned && !a.HasText && calls == 0:
		remember(false, "its answers do not begin in the middle of a thought: asking again")
	default:
		return nil
	}
	return &llm.Error{Kind: llm.KindIncomplete, Message: "The answer mixed thoughts and text; asking again."}
}
