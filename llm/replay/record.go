// Package replay records a model's answers and plays them back
// (spec/agent.md §28). A recording is a file of one JSON object a line:
//
//	{"method":"generateContentStream","response":[{"candidates":[...],"usageMetadata":{...}}, ...]}
//	{"method":"generateContent","response":{"candidates":[...]}}
//	{"method":"countTokens","response":{"totalTokens":12}}
//	{"method":"embedContent","response":{"embeddings":[{"values":[0.1,0.2]}]}}
package replay

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"os"
	"strconv"
	"sync"

	"pollux/llm"
)

// The methods that a recording knows.
const (
	methodGenerate = "generateContent"
	methodStream   = "generateContentStream"
	methodCount    = "countTokens"
	methodEmbed    = "embedContent"
)

// Recorder passes requests on and appends a line to a file for each answer
// that came to its end, or that its reader had enough of; of a response only
// candidates and usage are kept. A call that fails leaves no line.
type Recorder struct {
	llm.Generator

	mu   sync.Mutex
	file *os.File
}

var _ llm.Generator = (*Recorder)(nil)

// Record returns a recorder of g's answers. The file is created if need be,
// for the user alone, and appended to: each line is written whole and at once,
// so that a crash costs none that was complete.
func Record(g llm.Generator, path string) (*Recorder, error) {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("record responses: %w", err)
	}
	return &Recorder{Generator: g, file: f}, nil
}

// Unwrap returns the generator that is recorded.
func (r *Recorder) Unwrap() llm.Generator { return r.Generator }

// Close closes the file.
func (r *Recorder) Close() error { return r.file.Close() }

// Stream implements [llm.Generator].
func (r *Recorder) Stream(ctx context.Context, req *llm.Request) iter.Seq2[*llm.Response, error] {
	return func(yield func(*llm.Response, error) bool) {
		line := []byte{'['}
		for chunk, err := range r.Generator.Stream(ctx, req) {
			if err != nil {
				yield(chunk, err)
				return
			}
			if len(line) > 1 {
				line = append(line, ',')
			}
			line = kept(chunk).AppendJSON(line)
			if !yield(chunk, nil) {
				_ = r.append(methodStream, append(line, ']')) // nobody is left to tell
				return
			}
		}
		if err := r.append(methodStream, append(line, ']')); err != nil {
			yield(nil, err)
		}
	}
}

// Generate implements [llm.Generator].
func (r *Recorder) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	res, err := r.Generator.Generate(ctx, req)
	if err != nil {
		return nil, err
	}
	return res, r.append(methodGenerate, kept(res).AppendJSON(nil))
}

// CountTokens implements [llm.Generator].
func (r *Recorder) CountTokens(ctx context.Context, req *llm.Request) (int, error) {
	n, err := r.Generator.CountTokens(ctx, req)
	if err != nil {
		return 0, err
	}
	return n, r.append(methodCount, append(strconv.AppendInt([]byte(`{"totalTokens":`), int64(n), 10), '}'))
}

// Embed implements [llm.Generator].
func (r *Recorder) Embed(ctx context.Context, model string, texts []string) ([][]float32, error) {
	vectors, err := r.Generator.Embed(ctx, model, texts)
	if err != nil {
		return nil, err
	}
	var e embeddings
	for _, v := range vectors {
		e.Embeddings = append(e.Embeddings, embedding{Values: v})
	}
	data, err := json.Marshal(e)
	if err != nil {
		return vectors, &llm.Error{Err: fmt.Errorf("record responses: %w", err)}
	}
	return vectors, r.append(methodEmbed, data)
}

type embeddings struct {
	Embeddings []embedding `json:"embeddings"`
}

type embedding struct {
	Values []float32 `json:"values"`
}

// kept is what a recording keeps of a response.
func kept(r *llm.Response) *llm.Response {
	return &llm.Response{Candidates: r.Candidates, Usage: r.Usage}
}

func (r *Recorder) append(method string, response []byte) error {
	line := append(append([]byte(`{"method":"`), method...), `","response":`...)
	line = append(append(line, response...), '}', '\n')
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, err := r.file.Write(line); err != nil {
		return &llm.Error{Err: fmt.Errorf("record responses: %w", err)}
	}
	return nil
}
