package chatwire

import (
	"strings"

	"pollux/llm"
	"pollux/llm/think"
)

// Answer gathers a model's answer while it comes in, and tells thoughts from the
// text that they stand in. What it has is taken out as chunks.
type Answer struct {
	// Splitter splits the text; Untagged says that a tag in it is text like any
	// other.
	Splitter think.Splitter
	Untagged bool
	// Whole says that what is added next is all of the text.
	Whole bool
	// KeepThoughts has Thoughts gather the words of all thoughts.
	KeepThoughts bool
	Thoughts     strings.Builder

	ID, Model string     // as the service names them
	Parts     []llm.Part // that no chunk has yet
	Any       bool       // anything came
	Said      bool       // visible text came

	split bool // Splitter has seen text
	apart bool // a thought came in a field of its own
}

// AddText takes in text of the answer.
func (a *Answer) AddText(s string) {
	if s == "" {
		return
	}
	a.Any = true
	switch {
	case a.Untagged, a.apart && !a.split && !a.Splitter.Opened: // it has a field for its thoughts
		a.Said = true
		a.Parts = append(a.Parts, llm.Part{Text: s})
	case a.Whole:
		a.take(a.Splitter.Split(s))
	default:
		a.split = true
		a.take(a.Splitter.Add(s))
	}
}

func (a *Answer) take(parts []llm.Part) {
	for i := range parts {
		if parts[i].Thought {
			a.keep(parts[i].Text)
		} else {
			a.Said = true
		}
	}
	a.Parts = append(a.Parts, parts...)
}

// AddThought takes in a thought that the service tells from the text.
func (a *Answer) AddThought(s string) {
	if s != "" {
		a.Any, a.apart = true, true
		a.Parts = append(a.Parts, llm.Part{Text: s, Thought: true})
		a.keep(s)
	}
}

func (a *Answer) keep(thought string) {
	if a.KeepThoughts {
		a.Thoughts.WriteString(thought)
	}
}

// Flush takes in what text was held back: no more of it comes.
func (a *Answer) Flush() { a.take(a.Splitter.Flush()) }

// chunkOfOne is one allocation for all that a chunk of one part consists of.
type chunkOfOne struct {
	response  llm.Response
	candidate [1]llm.Candidate
	content   llm.Content
	part      [1]llm.Part
}

// Chunk returns what is new, nil if nothing is.
func (a *Answer) Chunk() *llm.Response {
	if len(a.Parts) == 0 {
		return nil
	}
	c := new(chunkOfOne)
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

// LastChunk returns what is new, be it nothing, for the end of the answer to be
// added to.
func (a *Answer) LastChunk() *llm.Response {
	if c := a.Chunk(); c != nil {
		return c
	}
	return &llm.Response{Candidates: []llm.Candidate{{}}, ResponseID: a.ID, ModelVersion: a.Model}
}

// Reconsider looks back at an answer whose thoughts stood in its text, and which
// made so many calls. Where it turns out that it began in the middle of a thought,
// or did not though that was learned of the model, remember is given what is so,
// and words for the log; the answer is then to be asked for again, as the error
// says.
func (a *Answer) Reconsider(learned bool, calls int, remember func(opened bool, told string)) error {
	switch {
	case a.Splitter.Unopened() && !a.Splitter.Opened:
		remember(true, "its answers begin in the middle of a thought: asking again")
	case learned && !a.Said && calls == 0:
		remember(false, "its answers do not begin in the middle of a thought: asking again")
	default:
		return nil
	}
	return &llm.Error{Kind: llm.KindIncomplete, Message: "The answer mixed thoughts and text; asking again."}
}
