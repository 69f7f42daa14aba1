// Package replay records the responses of a model and plays them back. A recording is
// a file with one JSON object on each line:
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

// The methods in a recording.
const (
	methodGenerate = "generateContent"
	methodStream   = "generateContentStream"
	methodCount    = "countTokens"
	methodEmbed    = "embedContent"
)

// Recorder passes requests to a generator and appends each response to a file as one
// line. It records complete responses, and the part of a stream that the caller has
// read. It records only the candidates and usage of responses, and no failed
// requests.
type Recorder struct {
	llm.Generator

	mu   sync.Mutex
	file *os.File
}

var _ llm.Generator = (*Recorder)(nil)

// Record returns a generator that records the responses of g. It appends to the file
// at path, or creates it with permissions for the user only. Each line is written
// immediately, so that a crash loses no complete line.
func Record(g llm.Generator, path string) (*Recorder, error) {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("record responses: %w", err)
	}
	return &Recorder{Generator: g, file: f}, nil
}

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
			line = recordedPart(chunk).AppendJSON(line)
			if !yield(chunk, nil) {
				_ = r.appendLine(methodStream, append(line, ']')) // the caller has stopped reading
				return
			}
		}
		if err := r.appendLine(methodStream, append(line, ']')); err != nil {
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
	return res, r.appendLine(methodGenerate, recordedPart(res).AppendJSON(nil))
}

// CountTokens implements [llm.Generator].
func (r *Recorder) CountTokens(ctx context.Context, req *llm.Request) (int, error) {
	n, err := r.Generator.CountTokens(ctx, req)
	if err != nil {
		return 0, err
	}
	return n, r.appendLine(methodCount, append(strconv.AppendInt([]byte(`{"totalTokens":`), int64(n), 10), '}'))
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
	return vectors, r.appendLine(methodEmbed, data)
}

type embeddings struct {
	Embeddings []embedding `json:"embeddings"`
}

type embedding struct {
	Values []float32 `json:"values"`
}

func recordedPart(r *llm.Response) *llm.Response {
	return &llm.Response{Candidates: r.Candidates, Usage: r.Usage}
}

func (r *Recorder) appendLine(method string, response []byte) error {
	line := append(append([]byte(`{"method":"`), method...), `","response":`...)
	line = append(append(line, response...), '}', '\n')
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, err := r.file.Write(line); err != nil {
		return &llm.Error{Err: fmt.Errorf("record responses: %w", err)}
	}
	return nil
}
