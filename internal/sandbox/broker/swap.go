package broker

import (
	"bytes"
	"io"
)

// swapper reads a stream with one text in the place of another one. See begun for the bytes that it holds back.
type swapper struct {
	from io.Reader
	swap
	ready []byte // to be returned
	rest  []byte // the beginning of the text, perhaps
	err   error
	piece []byte
}

func (s *swapper) Read(b []byte) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	for len(s.ready) == 0 {
		if s.err != nil {
			return 0, s.err
		}
		s.fill()
	}
	n := copy(b, s.ready)
	s.ready = s.ready[n:]
	return n, nil
}

// fill reads the next piece.
func (s *swapper) fill() {
	if s.piece == nil {
		s.piece = make([]byte, 32<<10)
	}
	n, err := s.from.Read(s.piece)
	text := append(s.rest, s.piece[:n]...)
	from := []byte(s.swap.from)
	s.ready, s.err = s.ready[:0], err
	for {
		before, after, isFound := bytes.Cut(text, from)
		if !isFound {
			break
		}
		s.ready = append(append(s.ready, before...), s.to...)
		text = after
	}
	keep := 0
	if err == nil {
		keep = s.begun(text)
	}
	s.ready = append(s.ready, text[:len(text)-keep]...)
	s.rest = append([]byte(nil), text[len(text)-keep:]...)
}

// begun returns how many bytes at the end of a text are held back: those that may be the beginning of the one that is replaced. Whether they are it does
// not matter, because the program sees in how many pieces an answer comes, and could guess the text by that. It has no line break.
func (s *swapper) begun(text []byte) int {
	last := bytes.LastIndexAny(text, "\r\n") + 1
	return min(len(s.swap.from)-1, len(text)-last)
}
