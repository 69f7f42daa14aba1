package httpwire

import (
	"bytes"
	"encoding/json"
	"io"
	"iter"
)

// Lines yields the lines of a response with one JSON value per line (NDJSON),
// each as soon as it is complete, without surrounding white space. It skips
// blank lines. A line is valid until the next one. Lines does not check that
// lines are JSON, except the last one if it has no line end. An error is the
// last value yielded: an [*llm.Error], or the cause if the request's context
// has ended.
func (r *Response) Lines() iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		f := NewFrames(r.Body)
		defer f.Release()
		for n := 0; ; {
			line, err := f.peekLine()
			if ctxErr := r.contextErr(); ctxErr != nil {
				yield(nil, ctxErr)
				return
			}
			if err == nil {
				f.skipLine(len(line))
			}
			line = bytes.TrimSpace(line)
			switch {
			case err != nil && err != io.EOF:
				yield(nil, r.streamError(err, n))
				return
			case len(line) > 0:
				if lineErr := r.checkLine(line, n, err == io.EOF); lineErr != nil {
					yield(nil, lineErr)
					return
				}
				if !yield(line, nil) {
					return
				}
				n++
			}
			if err == io.EOF {
				return
			}
		}
	}
}

// checkLine returns an error if line, the nth, shows that the stream ended
// inside it or that the response has another format.
func (r *Response) checkLine(line []byte, n int, last bool) error {
	switch {
	case n == 0 && line[0] == '<':
		return r.webPageError(line)
	case n == 0 && line[0] != '{' && line[0] != '[':
		return r.contentTypeError()
	case last && !json.Valid(line):
		return incompleteError(line)
	}
	r.markWorking()
	return nil
}
