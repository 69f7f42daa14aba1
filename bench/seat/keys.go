//go:build linux

package seat

import (
	"fmt"
	"strings"
	"time"
)

// keyCount is the number of keys of a measurement: the 99th of 100 is the fifth worst.
const keyCount = 500

// typeKeys types keys one at a time, and adds the milliseconds from each to its cells on the screen, and the bytes until then. It
// returns the whole output.
func (s *seat) typeKeys(r *Run, count int) (output []byte) {
	draft := ""
	for i := range count {
		if i%50 == 0 { // a short draft stays in one row
			s.send("\x15")
			s.see(placeholder)
			draft = ""
		}
		draft += string(rune('a' + i%26))
		time.Sleep(20 * time.Millisecond) // longer than a frame, as between the keys of a person
		output = append(output, s.take()...)
		began := time.Now()
		s.send(draft[len(draft)-1:])
		s.see("> " + draft)
		r.add("took", milliseconds(time.Since(began)))
		of := s.take()
		r.add("bytes", float64(len(of)))
		output = append(output, of...)
	}
	s.send("\x15")
	s.see(placeholder)
	return append(output, s.take()...)
}

// keysIdle measures keys while nothing else happens.
func keysIdle(r *Run) error {
	s := r.sit(hello, nil)
	s.settle()
	s.typeKeys(r, scaled(r, keyCount))
	return s.close()
}

// keysStreaming measures keys while an answer streams in.
func keysStreaming(r *Run) error {
	s := r.sit(stream, nil)
	s.send("go\r")
	s.watchStream(r)
	return s.close()
}

// paste measures the time until a pasted text is in the draft.
func paste(r *Run) error {
	for name, size := range map[string]int{"1MB": 1, "5MB": 5} {
		s := r.sit(hello, nil)
		s.settle()
		text := strings.Repeat(strings.Repeat("x", 63)+"\n", size<<14)
		began := time.Now()
		s.send("\x1b[200~" + text + "\x1b[201~")
		s.see("[Pasted Text")
		r.add(name, milliseconds(time.Since(began)))
		if err := s.close(); err != nil {
			return err
		}
	}
	return nil
}

// cancel measures the time from Esc to the notice.
func cancel(r *Run) error {
	s := r.sit(stream, nil)
	s.send("go\r")
	s.awaitWord(20)
	began := time.Now()
	s.send("\x1b")
	s.see("Request cancelled.")
	r.add("cancel", milliseconds(time.Since(began)))
	return s.close()
}

// idle measures the CPU time and the output of a minute in which nothing happens.
func idle(r *Run) error {
	s := r.sit("turn\n  text \"word1.\"\n", nil)
	s.send("go\r")
	s.see("word1.")
	s.settle()
	time.Sleep(3 * time.Second) // the start leaves work for later
	s.take()
	before := s.ticks()
	time.Sleep(scaled(r, time.Minute))
	const tick = 10 // milliseconds
	r.add("cpu", (s.ticks()-before)*tick)
	r.add("bytes", float64(len(s.take())))
	return s.close()
}

// word returns a word of an answer by its number.
func word(n int) string { return fmt.Sprintf("word%d ", n) }
