//go:build linux

package seat

import (
	"fmt"
	"strings"
	"time"
)

// Counts plays a short session, and counts its output to the terminal. The counts, by their names, hardly depend on how busy
// the machine is, so that a test can bound them.
func Counts(program string) (map[string]float64, error) {
	const turns, words = 4, 1000
	var script strings.Builder
	for n := range turns {
		fmt.Fprintf(&script, work, n)
	}
	text := 0
	script.WriteString("turn\n  rate 500\n")
	for n := range words {
		fmt.Fprintf(&script, "  text %q\n", word(n))
		text += len(word(n))
	}
	script.WriteString("  text \"\\n\\nThe end.\"\n")
	r := &Run{Program: program}
	s := r.sit(script.String(), nil)
	s.settle()
	s.typeKeys(r, 50)
	for n := range turns {
		s.turn(n)
	}
	s.try(func() error { return s.program.Resize(120, 40) })
	s.send("go")
	s.see("> go")
	s.settle()
	s.take()
	s.send("\r")
	s.see("The end.")
	s.settle()
	streamed := s.take()
	time.Sleep(2 * time.Second) // a spinner or a cursor that blinks would draw several times
	rest := s.take()
	c := map[string]float64{
		"bytes of a key": median(r.values["bytes"]), "bytes of a byte of an answer": float64(len(streamed)) / float64(text),
		"frames without a change": float64(frames(rest)), "bytes without a change": float64(len(rest)),
	}
	if s.err == nil {
		c["erasures"] = float64(s.program.Clears())
	}
	return c, s.close()
}
