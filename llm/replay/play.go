package replay

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"os"
	"slices"
	"sync"

	"pollux/llm"
)

// Player is an [llm.Generator] that returns the responses of a recording. It needs no
// credentials and no network.
type Player struct {
	strict bool

	mu    sync.Mutex
	lines []line // lines that are not used yet
}

var _ llm.Generator = (*Player)(nil)

// line is a line of a recording.
type line struct {
	Method   string          `json:"method"`
	Response json.RawMessage `json:"response"`
}

// Open reads a recording. A strict player returns the lines in order, and fails if
// the next line belongs to another method. Other players return the first unused line for
// the method.
func Open(path string, strict bool) (*Player, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read fake responses: %w", err)
	}
	p := &Player{strict: strict}
	for i, text := range bytes.Split(data, []byte("\n")) {
		if len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		var l line
		if err := json.Unmarshal(text, &l); err != nil {
			return nil, fmt.Errorf("read fake responses: %s:%d: %w", path, i+1, err)
		}
		switch l.Method {
		case methodGenerate, methodStream, methodCount, methodEmbed:
		default:
			return nil, fmt.Errorf("read fake responses: %s:%d: unknown method %q", path, i+1, l.Method)
		}
		p.lines = append(p.lines, l)
	}
	return p, nil
}

// Stream implements [llm.Generator]. A response to tool results ends with the finish reason
// [llm.FinishStop] if the recording has none, as Gemini CLI accepts it: a recording is not
// cut off.
func (p *Player) Stream(ctx context.Context, req *llm.Request) iter.Seq2[*llm.Response, error] {
	return func(yield func(*llm.Response, error) bool) {
		var chunks []*llm.Response
		if err := p.decodeNext(ctx, methodStream, &chunks, func() []byte { return describeRequest(req) }); err != nil {
			yield(nil, err)
			return
		}
		chunks = slices.DeleteFunc(chunks, func(c *llm.Response) bool { return c == nil })
		if n := len(req.Contents); n > 0 && req.Contents[n-1].HasFunctionResponse() {
			chunks = finish(chunks)
		}
		for _, chunk := range chunks {
			if ctx.Err() != nil {
				yield(nil, context.Cause(ctx))
				return
			}
			if !yield(chunk, nil) {
				return
			}
		}
	}
}

// finish returns chunks with a finish reason at the end, if no chunk has one.
func finish(chunks []*llm.Response) []*llm.Response {
	if slices.ContainsFunc(chunks, func(c *llm.Response) bool { return c.FinishReason() != "" }) {
		return chunks
	}
	return append(chunks, &llm.Response{Candidates: []llm.Candidate{{FinishReason: llm.FinishStop}}})
}

// Generate implements [llm.Generator].
func (p *Player) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	res := new(llm.Response)
	if err := p.decodeNext(ctx, methodGenerate, res, func() []byte { return describeRequest(req) }); err != nil {
		return nil, err
	}
	return res, nil
}

// CountTokens implements [llm.Generator].
func (p *Player) CountTokens(ctx context.Context, req *llm.Request) (int, error) {
	var count struct{ TotalTokens int }
	err := p.decodeNext(ctx, methodCount, &count, func() []byte { return describeRequest(req) })
	return count.TotalTokens, err
}

// Embed implements [llm.Generator].
func (p *Player) Embed(ctx context.Context, model string, texts []string) ([][]float32, error) {
	var e embeddings
	err := p.decodeNext(ctx, methodEmbed, &e, func() []byte {
		data, _ := json.Marshal(map[string]any{"model": model, "contents": texts}) // strings alone cannot fail
		return data
	})
	if err != nil {
		return nil, err
	}
	vectors := make([][]float32, len(e.Embeddings))
	for i := range vectors {
		vectors[i] = e.Embeddings[i].Values
	}
	return vectors, nil
}

// decodeNext decodes the next response for method. Scripts may match the texts of its
// errors.
func (p *Player) decodeNext(ctx context.Context, method string, to any, request func() []byte) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	l, err := p.takeLine(method, request)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(l.Response, to); err != nil {
		return &llm.Error{Err: fmt.Errorf("decode fake response for %s: %w", method, err)}
	}
	return nil
}

// takeLine removes the next line for method and returns it.
func (p *Player) takeLine(method string, request func() []byte) (line, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, l := range p.lines {
		if l.Method == method {
			p.lines = slices.Delete(p.lines, i, i+1)
			return l, nil
		}
		if p.strict {
			return line{}, &llm.Error{Message: fmt.Sprintf(
				"Unexpected response type, next response was for %s but expected %s", l.Method, method)}
		}
	}
	return line{}, &llm.Error{Message: fmt.Sprintf("No more mock responses for %s, got request:\n%s", method, request())}
}

// describeRequest returns req as JSON for an error message.
func describeRequest(req *llm.Request) []byte {
	b := append(llm.AppendString([]byte(`{"model":`), req.Model), `,"contents":[`...)
	for i, c := range req.Contents {
		if i > 0 {
			b = append(b, ',')
		}
		b = c.AppendJSON(b)
	}
	return append(b, `]}`...)
}
