package httpwire

import (
	"bytes"
	"encoding/json"
	"io"
	"iter"
)

// Lines yields the lines of a streamed answer that is one JSON value a line
// (NDJSON), each as soon as it is complete and without white space around it;
// blank ones are passed over. A line is good until the next, and whether it is
// JSON is for the caller to see, but for the one at which the stream ends without
// a line end: that is yielded only if it is. An error is the last thing yielded:
// an [*llm.Error], or the cause of the end of the request's context.
func (r *Response) Lines() iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		f := NewFrames(r.Body)
		defer f.Release()
		for n := 0; ; {
			line, err := f.line()
			if ended := r.ended(); ended != nil {
				yield(nil, ended)
				return
			}
			if err == nil {
				f.take(len(line))
			}
			line = bytes.TrimSpace(line)
			switch {
			case err != nil && err != io.EOF:
				yield(nil, r.streamError(err, n))
				return
			case len(line) > 0:
				if wrong := r.checkLine(line, n, err == io.EOF); wrong != nil {
					yield(nil, wrong)
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

// checkLine returns the error of a line, the n-th, that cannot be one of such an
// answer: the stream ended in it, or it is no answer at all.
func (r *Response) checkLine(line []byte, n int, last bool) error {
	switch {
	case n == 0 && line[0] == '<':
		return r.webPage(line)
	case n == 0 && line[0] != '{' && line[0] != '[':
		return r.notAnAnswer()
	case last && !json.Valid(line):
		return incomplete(line)
	}
	return nil
}
