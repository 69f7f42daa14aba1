package charset

import (
	"bytes"
	"io"
)

// Writer converts text to UTF-8, as a [Stream], and writes it to another writer. Invalid bytes become U+FFFD.
type Writer struct {
	Stream
	To io.Writer
}

// Write writes the next part of the text. An incomplete character or line may wait for more.
func (w *Writer) Write(p []byte) (int, error) {
	if err := w.pass(w.Convert(p)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Close writes the rest of the text.
func (w *Writer) Close() error { return w.pass(w.Finish()) }

func (w *Writer) pass(text []byte) error {
	if len(text) == 0 {
		return nil
	}
	_, err := w.To.Write(bytes.ToValidUTF8(text, []byte("\uFFFD")))
	return err
}
