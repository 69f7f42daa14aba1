package openai

import (
	"bytes"
	"io"
	"iter"
	"math/rand/v2"
	"slices"
	"strconv"

	"pollux/llm"
	"pollux/llm/httpwire"
	"pollux/llm/think"
)

// answer is a model's answer while it comes in. The decoders of both protocols
// feed it; what it has is taken out as chunks.
type answer struct {
	t     *traits
	names map[string]string // of tools that are called otherwise on the wire; nil for none

	parts    []llm.Part // not yielded yet
	splitter think.Splitter
	calls    calls
	usage    *llm.Usage
	finish   llm.FinishReason
	refused  bool // part of the answer was a refusal
	failure  error
	sources  []llm.Citation

	id, model string
	ended     bool // as it should
	text      bool // visible text came
	thought   bool // a thought came in a field of its own
	any       bool // anything came
	split     bool // text went through splitter
	entire    bool // the answer is not streamed

	kept reasoning

	// Of Responses: which items came in pieces, and the paragraph of thoughts.
	seen      []int
	paragraph int
}

func newAnswer(t *traits, req *llm.Request) *answer {
	a := &answer{t: t, splitter: think.Splitter{Opened: t.Opened}}
	for _, set := range req.Config.Tools {
		for i := range set.Functions {
			if name := set.Functions[i].Name; wireName(name) != name {
				if a.names == nil {
					a.names = make(map[string]string)
				}
				a.names[wireName(name)] = name
			}
		}
	}
	return a
}

// addText takes in text of the answer.
func (a *answer) addText(s string) {
	if s == "" {
		return
	}
	a.any = true
	switch {
	case a.t.Untagged, a.thought && !a.split && !a.t.Opened: // it has a field for its thoughts
		a.text = true
		a.parts = append(a.parts, llm.Part{Text: s})
	case a.entire:
		a.take(a.splitter.Split(s))
	default:
		a.split = true
		a.take(a.splitter.Add(s))
	}
}

func (a *answer) take(parts []llm.Part) {
	for i := range parts {
		if parts[i].Thought {
			a.keep(parts[i].Text)
		} else {
			a.text = true
		}
	}
	a.parts = append(a.parts, parts...)
}

// addThought takes in a thought.
func (a *answer) addThought(s string) {
	if s != "" {
		a.any, a.thought = true, true
		a.parts = append(a.parts, llm.Part{Text: s, Thought: true})
		a.keep(s)
	}
}

// keep keeps a thought's words where the model wants them back.
func (a *answer) keep(s string) {
	if a.t.ReasoningOut != "" && a.t.Protocol == Chat {
		a.kept.text.WriteString(s)
	}
}

// cite takes in a source that the answer quotes.
func (a *answer) cite(source llm.Citation) {
	const most = 1000
	if source.URI != "" && len(a.sources) < most && !slices.ContainsFunc(a.sources, func(c llm.Citation) bool { return c.URI == source.URI }) {
		a.sources = append(a.sources, source)
	}
}

// addRefusal takes in the words with which a model refuses.
func (a *answer) addRefusal(s string) {
	if s != "" {
		a.any, a.refused, a.text = true, true, true
		a.parts = append(a.parts, llm.Part{Text: s})
	}
}

// chunkOfOne is one allocation for all that a chunk of one part consists of.
type chunkOfOne struct {
	response  llm.Response
	candidate [1]llm.Candidate
	content   llm.Content
	part      [1]llm.Part
}

// chunk returns what is new, nil if nothing is.
func (a *answer) chunk() *llm.Response {
	if len(a.parts) == 0 {
		return nil
	}
	c := new(chunkOfOne)
	if len(a.parts) == 1 {
		c.part[0] = a.parts[0]
		c.content.Parts = c.part[:]
	} else {
		c.content.Parts = append([]llm.Part(nil), a.parts...)
	}
	a.parts = a.parts[:0]
	c.content.Role = llm.RoleModel
	c.candidate[0].Content = &c.content
	c.response.Candidates = c.candidate[:]
	c.response.ResponseID, c.response.ModelVersion = a.id, a.model
	return &c.response
}

// last returns the end of the answer: the calls, why it ended and what it cost.
// done says that the service has said that it was all.
func (a *answer) last(done bool) (*llm.Response, error) {
	if !a.t.Untagged {
		a.take(a.splitter.Flush())
	}
	calls, whole := a.calls.finish(a.names)
	switch {
	case a.finish == "" && !done && !a.any && len(a.calls.all) == 0:
		return nil, &llm.Error{Kind: llm.KindNetwork, Code: "ERR_STREAM_PREMATURE_CLOSE", Message: "fetch failed: the model's server ended the stream without an answer", Err: io.ErrUnexpectedEOF}
	case a.finish == "" && !done && !whole:
		return nil, &llm.Error{Kind: llm.KindIncomplete, Message: "Incomplete JSON segment at the end of the stream: it ended in the middle of a tool call"}
	case !whole: // a limit cut it off, whatever the service says
		a.finish = llm.FinishMaxTokens
	case a.refused:
		a.finish = llm.FinishSafety
	case a.finish == "" && len(calls) > 0, a.finish == "" && done && a.text:
		a.finish = llm.FinishStop
	}
	if signature := a.kept.signature(a.t); signature != "" {
		a.parts = append(a.parts, llm.Part{Thought: true, ThoughtSignature: signature})
	}
	a.parts = append(a.parts, calls...)
	a.ended = true
	if len(a.parts) == 0 && a.finish == "" && a.usage == nil && a.sources == nil {
		return nil, nil
	}
	r := a.chunk()
	if r == nil {
		r = &llm.Response{Candidates: []llm.Candidate{{}}, ResponseID: a.id, ModelVersion: a.model}
	}
	r.Candidates[0].FinishReason, r.Candidates[0].Citations = a.finish, a.sources
	r.Usage = a.usage
	return r, nil
}

// stream yields the chunks of a streamed answer, each as soon as its frame is
// complete, and the end once usage, which comes last, is there or can no longer
// come. An error is the last thing yielded.
func (a *answer) stream(res *httpwire.Response) iter.Seq2[*llm.Response, error] {
	return func(yield func(*llm.Response, error) bool) {
		done := false
		for event, err := range res.Events() {
			if err == nil && !event.Unframed && bytes.Equal(event.Data, doneMark) {
				done = true
				break
			}
			if err == nil {
				err = a.event(res, event)
			}
			if err != nil {
				if c := a.chunk(); c != nil && a.failure != nil && !yield(c, nil) {
					return
				}
				yield(nil, err)
				return
			}
			if c := a.chunk(); c != nil && !yield(c, nil) {
				return
			}
			if done = done || event.Unframed || a.complete(); a.complete() {
				break
			}
		}
		if done {
			res.Drain()
		}
		r, err := a.last(done)
		if r != nil || err != nil {
			yield(r, err)
		}
	}
}

var doneMark = []byte("[DONE]")

// event takes in a frame, or all that is left of a body that is no stream.
func (a *answer) event(res *httpwire.Response, event httpwire.Event) error {
	if err := errorIn(event.Data); err != nil {
		return err
	}
	if event.Unframed {
		if err := res.CheckJSON(event.Data); err != nil {
			return err
		}
	}
	a.entire = event.Unframed && !a.any
	if err := a.decode(event.Data, event.Unframed); err != nil {
		return httpwire.Malformed("chunk", err, event.Data)
	}
	if a.failure == nil && a.calls.size+a.kept.text.Len()+a.kept.size > httpwire.MaxFrame {
		a.failure = httpwire.Malformed("answer", errEndless, nil)
	}
	return a.failure
}

// whole returns an answer that was not streamed.
func (a *answer) whole(data []byte) (*llm.Response, error) {
	a.entire = true
	if err := a.decode(data, true); err != nil {
		return nil, httpwire.Malformed("answer", err, data)
	}
	if a.failure != nil {
		return nil, a.failure
	}
	if !a.any && len(a.calls.all) == 0 && a.finish == "" && a.usage == nil {
		return nil, httpwire.Malformed("answer", errNoAnswer, data)
	}
	return a.last(true)
}

// together returns a streamed answer as one.
func together(chunks iter.Seq2[*llm.Response, error]) (*llm.Response, error) {
	var all chunkOfOne
	for chunk, err := range chunks {
		if err != nil {
			return nil, err
		}
		all.response = *chunk
		all.content.Parts = append(all.content.Parts, chunk.Parts()...)
	}
	if len(all.response.Candidates) == 0 {
		return nil, httpwire.Malformed("answer", errNoAnswer, nil)
	}
	all.content.Role = llm.RoleModel
	all.candidate[0] = all.response.Candidates[0] // the last chunk tells how it ended
	all.candidate[0].Content = &all.content
	all.response.Candidates = all.candidate[:]
	return &all.response, nil
}

// newID returns an id for a call that came without one.
func newID() string {
	return "call_" + strconv.FormatUint(rand.Uint64(), 36)
}
