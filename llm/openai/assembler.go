package openai

import (
	"bytes"
	"cmp"
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

// assembler builds a response from its wire form. The decoders of both
// protocols add to it; [assembler.Chunk] and [assembler.finalChunk] return the
// chunks.
type assembler struct {
	t         *traits
	toolNames map[string]string // wire name to tool name, for tools whose wire name differs; nil if there are none

	chatwire.Assembler
	calls        calls
	usage        *llm.Usage
	finishReason llm.FinishReason
	hasRefusal   bool // part of the response was a refusal
	isStreamed   bool // part of the response arrived in a delta
	err          error
	citations    []llm.Citation
	isEnded      bool // the response is complete

	reasoning reasoningDetails

	// Used by the Responses protocol only: the indexes of the items that were
	// streamed, and the current paragraph of thoughts.
	streamedItems []int
	paragraph     int
}

func newAssembler(t *traits, req *llm.Request) *assembler {
	a := &assembler{t: t, Assembler: chatwire.Assembler{
		Splitter: think.Splitter{Opened: t.Opened, MayBeOpened: think.MayBeOpened(t.model), PairsOnly: t.PairsOnly}, Untagged: t.Untagged,
		KeepThoughts: t.ReasoningOut != "" && t.Protocol == Chat,
	}}
	for _, set := range req.Config.Tools {
		for i := range set.Functions {
			if name := set.Functions[i].Name; wireName(name) != name {
				if a.toolNames == nil {
					a.toolNames = make(map[string]string)
				}
				a.toolNames[wireName(name)] = name
			}
		}
	}
	return a
}

// addCitation adds a source that the response quotes, once per URI.
func (a *assembler) addCitation(source llm.Citation) {
	const maxCitations = 1000
	if source.URI != "" && len(a.citations) < maxCitations && !slices.ContainsFunc(a.citations, func(c llm.Citation) bool { return c.URI == source.URI }) {
		a.citations = append(a.citations, source)
	}
}

// addRefusal adds the text in which a model declines to answer.
func (a *assembler) addRefusal(s string) {
	if s != "" {
		a.HasContent, a.hasRefusal, a.HasText = true, true, true
		a.Parts = append(a.Parts, llm.Part{Text: s})
	}
}

// finalChunk returns the last chunk: tool calls, finish reason, citations and
// usage. isDone reports that the service marked the end of the response. The
// error is an [*llm.Error] if the response broke off.
func (a *assembler) finalChunk(isDone bool) (*llm.Response, error) {
	a.Flush()
	calls, whole := a.calls.parts(a.toolNames)
	switch {
	case a.finishReason == "" && !isDone && !a.HasContent && len(a.calls.all) == 0:
		return nil, &llm.Error{Kind: llm.KindNetwork, Code: "ERR_STREAM_PREMATURE_CLOSE", Message: "The provider ended the stream without a response", Err: io.ErrUnexpectedEOF}
	case a.finishReason == "" && !isDone && (!whole || a.calls.hasUnbegun() || a.t.Protocol == Responses):
		return nil, &llm.Error{Kind: llm.KindIncomplete, Message: "Incomplete JSON segment at the end of the stream: it ended before the end of the answer or of a tool call"}
	case !whole: // a limit cut the call off, whatever finish reason the service sent
		a.finishReason = llm.FinishMaxTokens
	case a.hasRefusal && (isDone || a.finishReason != ""):
		a.finishReason = llm.FinishSafety
	case a.finishReason == "" && isDone:
		a.finishReason = llm.FinishStop
	}
	if signature := a.reasoning.signature(a.t, a.Thoughts.String()); signature != "" {
		a.Parts = append(a.Parts, llm.Part{Thought: true, ThoughtSignature: signature})
	}
	a.Parts = append(a.Parts, calls...)
	a.isEnded = true
	if len(a.Parts) == 0 && a.finishReason == "" && a.usage == nil && a.citations == nil {
		return nil, nil
	}
	r := a.LastChunk()
	r.Candidates[0].FinishReason, r.Candidates[0].Citations = a.finishReason, a.citations
	r.Usage = a.usage
	return r, nil
}

// chunks yields the chunks of a streamed response, each as soon as its frame is
// complete. The final chunk follows when the stream ends, because usage comes
// last. An error is the last value yielded.
func (a *assembler) chunks(res *httpwire.Response) iter.Seq2[*llm.Response, error] {
	return func(yield func(*llm.Response, error) bool) {
		isDone := false
		for event, err := range res.Events() {
			if a.isAnswered(err) {
				isDone = true
				break
			}
			if err == nil && !event.Unframed && bytes.Equal(event.Data, doneMark) {
				isDone = true
				break
			}
			if err == nil {
				err = a.addEvent(res, event)
			}
			if err != nil {
				if c := a.Chunk(); c != nil && a.err != nil && !yield(c, nil) {
					return
				}
				yield(nil, err)
				return
			}
			if c := a.Chunk(); c != nil && !yield(c, nil) {
				return
			}
			if isDone = isDone || a.IsWhole || a.isComplete(); a.isComplete() {
				break
			}
		}
		if isDone {
			res.Drain()
		}
		r, err := a.finalChunk(isDone)
		if r != nil || err != nil {
			yield(r, err)
		}
	}
}

// isAnswered reports whether err, which ended the stream, came after the response: its finish reason had arrived.
func (a *assembler) isAnswered(err error) bool {
	return a.finishReason != "" && a.err == nil && httpwire.IsBreak(err)
}

var doneMark = []byte("[DONE]")

// addEvent decodes one frame, or the whole body if the service did not stream.
func (a *assembler) addEvent(res *httpwire.Response, event httpwire.Event) error {
	findError := errorInBody
	if a.t.Protocol == Chat {
		findError = errorInChunk
	}
	if err := findError(event.Data); err != nil {
		return err
	}
	if event.Unframed {
		if err := res.CheckJSON(event.Data); err != nil {
			return err
		}
	}
	a.IsWhole = event.Unframed && !a.HasContent
	if err := a.decode(event.Data, event.Unframed); err != nil {
		return httpwire.Malformed("chunk", err, event.Data)
	}
	if a.err == nil && a.calls.size+a.Thoughts.Len()+a.reasoning.size > httpwire.MaxFrame {
		a.err = httpwire.Malformed("answer", errTooLong, nil)
	}
	return a.err
}

// decodeWhole returns the response in data, the body of a request without
// streaming.
func (a *assembler) decodeWhole(data []byte) (*llm.Response, error) {
	a.IsWhole = true
	if err := a.decode(data, true); err != nil {
		return nil, httpwire.Malformed("answer", err, data)
	}
	if a.err != nil {
		return nil, a.err
	}
	if !a.HasContent && len(a.calls.all) == 0 && a.finishReason == "" && a.usage == nil {
		return nil, cmp.Or(errorInChunk(data), httpwire.Malformed("answer", errNoChoice, data))
	}
	return a.finalChunk(true)
}

// mergeChunks returns the chunks of a stream as one response.
func mergeChunks(chunks iter.Seq2[*llm.Response, error]) (*llm.Response, error) {
	all, content := &llm.Response{}, &llm.Content{Role: llm.RoleModel}
	for chunk, err := range chunks {
		if err != nil {
			return nil, err
		}
		content.Parts = append(content.Parts, chunk.Parts()...)
		*all = *chunk
	}
	if len(all.Candidates) == 0 {
		return nil, httpwire.Malformed("answer", errNoChoice, nil)
	}
	last := all.Candidates[0] // the last chunk holds the finish reason and usage
	last.Content = content
	all.Candidates = []llm.Candidate{last}
	return all, nil
}

// newCallID returns a random id for a call that came without one.
func newCallID() string {
	return "call_" + strconv.FormatUint(rand.Uint64(), 36)
}
