package a2a

import (
	"fmt"
	"strings"

	"pollux/internal/terminal"
)

// authRequired is the result when the agent waits for an authorization.
const authRequired = "[Authorization Required] The agent has indicated it requires authorization to proceed. Please follow the agent's instructions."

const (
	// maxResult is the size of the text that is kept of a call, in bytes.
	maxResult = 8 << 20
	// overhead is the memory that a text costs besides its bytes, at least.
	overhead = 64
)

// result assembles the text of a call from the agent's events, in the order of Gemini CLI: the messages, then each
// artifact with its name.
type result struct {
	messages     strings.Builder
	last         string // message, which is not repeated
	hasAuthNote  bool
	ids          []string // of the artifacts, in their order
	artifacts    map[string]*piece
	left         int // bytes that may still be kept
	isIncomplete bool
	events       int
}

// piece is an artifact.
type piece struct {
	name string
	text strings.Builder
	cost int
}

func newResult() *result { return &result{artifacts: map[string]*piece{}, left: maxResult} }

func (r *result) add(e *event) {
	r.events++
	switch e.Kind {
	case messageEvent:
		r.addMessage(e)
	case statusEvent:
		r.addStatus(e)
	case artifactEvent:
		if e.Artifact != nil {
			r.addArtifact(e.Artifact, e.Append)
		}
	case taskEvent:
		r.addStatus(e)
		for i := range e.Artifacts {
			r.addArtifact(&e.Artifacts[i], false)
		}
		if e.isTerminal() && r.messages.Len() == 0 && len(r.artifacts) == 0 {
			r.addHistory(e.History)
		}
	}
}

func (r *result) addStatus(e *event) {
	if e.state() == "auth-required" && !r.hasAuthNote {
		r.hasAuthNote = true
		r.say(authRequired)
	}
	if e.Status.Message != nil {
		r.addMessage(e.Status.Message)
	}
}

// addHistory adds the last message of the agent, which some agents send there only.
func (r *result) addHistory(history []event) {
	for i := len(history) - 1; i >= 0; i-- {
		if strings.Contains(history[i].role(), "agent") {
			r.addMessage(&history[i])
			return
		}
	}
}

// addMessage adds a message that is not the user's own.
func (r *result) addMessage(e *event) {
	if e.role() == "user" {
		return
	}
	if text := e.text(); text != "" && text != r.last {
		r.say(text)
	}
}

func (r *result) say(text string) {
	kept := r.keep(text)
	r.messages.WriteString(kept)
	r.last = kept
}

func (r *result) addArtifact(a *artifact, isAppended bool) {
	p := r.artifacts[a.ID]
	if p == nil {
		if id := r.keep(a.ID); id != a.ID || r.left == 0 {
			return
		}
		p = &piece{}
		r.artifacts[a.ID], r.ids = p, append(r.ids, a.ID)
		isAppended = false
	}
	before := r.left
	if !isAppended {
		before, r.left = r.left+p.cost, r.left+p.cost
		p.text.Reset()
		p.name, p.cost = r.keep(a.Name), 0
	}
	p.text.WriteString(r.keep(partsText(a.Parts)))
	p.cost += before - r.left
}

// keep returns the beginning of a text for which there is room.
func (r *result) keep(text string) string {
	if len(text)+overhead <= r.left {
		r.left -= len(text) + overhead
		return text
	}
	r.isIncomplete = true
	text = strings.ToValidUTF8(text[:max(r.left-overhead, 0)], "")
	r.left = 0
	return text
}

// size returns about how many bytes the text so far has.
func (r *result) size() int { return maxResult - r.left }

// String returns the text so far, without control characters.
func (r *result) String() string {
	blocks := make([]string, 0, 2+len(r.ids))
	if r.messages.Len() > 0 {
		blocks = append(blocks, r.messages.String())
	}
	for _, id := range r.ids {
		p := r.artifacts[id]
		header := "Artifact:"
		if p.name != "" {
			header = "Artifact (" + p.name + "):"
		}
		blocks = append(blocks, header+"\n"+p.text.String())
	}
	if r.isIncomplete {
		blocks = append(blocks, fmt.Sprintf("(The agent has sent more than %d MiB. The rest is left out.)", maxResult>>20))
	}
	return terminal.Clean(strings.Join(blocks, "\n\n"))
}
