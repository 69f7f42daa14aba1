//go:build linux

package seat

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"pollux/internal/face/tui/tuitest"
	"pollux/internal/scriptmodel"
)

// seat is the program at a terminal, with a model. After the first error, nothing more is sent and waited for; close returns it.
type seat struct {
	program *tuitest.Program
	model   *scriptmodel.Server
	dir     string // of its place
	began   time.Time
	err     error

	mu     sync.Mutex
	output []byte // since the last reset
}

const placeholder = "Type your message"

// sit starts the program with a model that follows a script. prepare, unless it is nil, changes the place before.
func (r *Run) sit(script string, prepare func(place) error, args ...string) *seat {
	s := &seat{}
	var p place
	s.try(func() (err error) { s.dir, err = os.MkdirTemp("", "pollux-seat-"); return err })
	s.try(func() (err error) { p, err = newPlace(s.dir); return err })
	s.try(func() (err error) { s.model, err = serve(script); return err })
	if prepare != nil {
		s.try(func() error { return prepare(p) })
	}
	s.try(func() (err error) {
		command := append([]string{"/usr/bin/env", "-i", "-C", p.work}, p.environ(s.model.URL())...)
		e := tuitest.NewEmulator(120, 40)
		e.Manner = tuitest.Framed
		s.began = time.Now()
		s.program, err = tuitest.StartAt(e, append(append(command, r.Program), args...), s.note)
		return err
	})
	s.see(placeholder)
	return s
}

func (s *seat) try(do func() error) {
	if s.err == nil {
		s.err = do()
	}
}

func (s *seat) note(output []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.output = append(s.output, output...)
}

// take returns the output since the last call.
func (s *seat) take() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.output
	s.output = nil
	return all
}

// frames returns the number of frames in an output.
func frames(output []byte) int { return bytes.Count(output, []byte("\x1b[?2026l")) }

// see waits until a text is on the screen.
func (s *seat) see(text string) {
	s.await(text, func(rows []string) bool { return has(rows, text) })
}

// unsee waits until a text is not on the screen.
func (s *seat) unsee(text string) {
	s.await("no "+text, func(rows []string) bool { return !has(rows, text) })
}

func has(rows []string, text string) bool {
	return slices.ContainsFunc(rows, func(row string) bool { return strings.Contains(row, text) })
}

// await waits until a condition with a name holds for the rows of the screen.
func (s *seat) await(name string, is func(rows []string) bool) {
	s.try(func() error {
		if err := s.program.Wait(is); err != nil {
			return fmt.Errorf("%q: %w\n%s", name, err, strings.Join(s.program.Screen(), "\n"))
		}
		return nil
	})
}

func (s *seat) send(text string) { s.try(func() error { return s.program.Send(text) }) }

// settle waits until nothing has been written for a while.
func (s *seat) settle() {
	s.try(func() error { s.program.Settle(); return nil })
}

// since returns the milliseconds since the program was started.
func (s *seat) since() float64 { return milliseconds(time.Since(s.began)) }

// close ends the program and the model, and returns the first error, if there was one.
func (s *seat) close() error {
	if s.program != nil {
		s.program.Close()
	}
	if s.model != nil {
		if s.err != nil {
			s.err = errors.Join(s.err, s.refused())
		}
		_ = s.model.Close() // it does not matter any more
	}
	return errors.Join(s.err, os.RemoveAll(s.dir))
}

// refused returns an error with the requests that the model has refused, nil for none.
func (s *seat) refused() (err error) {
	for _, q := range s.model.Requests() {
		if q.Problem != "" {
			err = errors.Join(err, fmt.Errorf("the model has refused a request: %s", q.Problem))
		}
	}
	return err
}
