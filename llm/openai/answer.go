package openai

import (
	"bytes"
	"io"
	"iter"
	"math/rand/v2"
	"slices"
	"strconv"

	"pollux/llm"
	"pollux/llm/chatwire"
	"pollux/llm/httpwire"
	"pollux/llm/think"
)

// answer is a model's answer while it comes in. The decoders of both protocols
// feed it; what it has is taken out as chunks.
type answer struct {
	t     *traits
	names map[string]string // of tools that are called otherwise on the wire; nil for none

	chatwire.Answer
	calls   calls
	usage   *llm.Usage
	finish  llm.FinishReason
	refused bool // part of the answer was a refusal
	failure error
	sources []llm.Citation
	ended   bool // as it should

	kept reasoning

	// Of Responses: which items came in pieces, and the paragraph of thoughts.
	seen      []int
	paragraph int
}

func newAnswer(t *traits, req *llm.Request) *answer {
	a := &answer{t: t, Answer: chatwire.Answer{
		Splitter: think.Splitter{Opened: t.Opened, PairsOnly: t.PairsOnly}, Untagged: t.Untagged,
		KeepThoughts: t.ReasoningOut != "" && t.Protocol == Chat,
	}}
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
		a.Any, a.refused, a.Said = true, true, true
		a.Parts = append(a.Parts, llm.Part{Text: s})
	}
}

// last returns the end of the answer: the calls, why it ended and what it cost.
// done says that the service has said that it was all.
func (a *answer) last(done bool) (*llm.Response, error) {
	a.Flush()
	calls, whole := a.calls.finish(a.names)
	switch {
	case a.finish == "" && !done && !a.Any && len(a.calls.all) == 0:
		return nil, &llm.Error{Kind: llm.KindNetwork, Code: "ERR_STREAM_PREMATURE_CLOSE", Message: "fetch failed: the model's server ended the stream without an answer", Err: io.ErrUnexpectedEOF}
	case a.finish == "" && !done && !whole:
		return nil, &llm.Error{Kind: llm.KindIncomplete, Message: "Incomplete JSON segment at the end of the stream: it ended in the middle of a tool call"}
	case !whole: // a limit cut it off, whatever the service says
		a.finish = llm.FinishMaxTokens
	case a.refused:
		a.finish = llm.FinishSafety
	case a.finish == "" && len(calls) > 0, a.finish == "" && done && a.Said:
		a.finish = llm.FinishStop
	}
	if signature := a.kept.signature(a.t, a.Thoughts.String()); signature != "" {
		a.Parts = append(a.Parts, llm.Part{Thought: true, ThoughtSignature: signature})
	}
	a.Parts = append(a.Parts, calls...)
	a.ended = true
	if len(a.Parts) == 0 && a.finish == "" && a.usage == nil && a.sources == nil {
		return nil, nil
	}
	r := a.LastChunk()
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
				if c := a.Chunk(); c != nil && a.failure != nil && !yield(c, nil) {
					return
				}
				yield(nil, err)
				return
			}
			if c := a.Chunk(); c != nil && !yield(c, nil) {
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
	a.Whole = event.Unframed && !a.Any
	if err := a.decode(event.Data, event.Unframed); err != nil {
		return httpwire.Malformed("chunk", err, event.Data)
	}
	if a.failure == nil && a.calls.size+a.Thoughts.Len()+a.kept.size > httpwire.MaxFrame {
		a.failure = httpwire.Malformed("answer", errEndless, nil)
	}
	return a.failure
}

// whole returns an answer that was not streamed.
func (a *answer) whole(data []byte) (*llm.Response, error) {
	a.Whole = true
	if err := a.decode(data, true); err != nil {
		return nil, httpwire.Malformed("answer", err, data)
	}
	if a.failure != nil {
		return nil, a.failure
	}
	if !a.Any && len(a.calls.all) == 0 && a.finish == "" && a.usage == nil {
		return nil, httpwire.Malformed("answer", errNoAnswer, data)
	}
	return a.last(true)
}

// together returns a streamed answer as one.
func together(chunks iter.Seq2[*llm.Response, error]) (*llm.Response, error) {
	all, content := &llm.Response{}, &llm.Content{Role: llm.RoleModel}
	for chunk, err := range chunks {
		if err != nil {
			return nil, err
		}
		content.Parts = append(content.Parts, chunk.Parts()...)
		*all = *chunk
	}
	if len(all.Candidates) == 0 {
		return nil, httpwire.Malformed("answer", errNoAnswer, nil)
	}
	last := all.Candidates[0] // it tells how the answer ended
	last.Content = content
	all.Candidates = []llm.Candidate{last}
	return all, nil
}

// newID returns an id for a call that came without one.
func newID() string {
	return "call_" + strconv.FormatUint(rand.Uint64(), 36)
}
