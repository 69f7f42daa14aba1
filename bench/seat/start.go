//go:build linux

package seat

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"pollux/bench/recorded"
	"pollux/bench/scene"
)

const hello = "turn\n  text \"Hello.\"\n"

// start measures a start: to the prompt, and to a key, which is typed at once, on the screen.
func start(r *Run) error {
	s := r.sit(hello, nil)
	prompt := s.since()
	s.send("a")
	s.see("> a")
	usable := s.since()
	s.settle()
	r.add("resident", s.memory("VmRSS"))
	r.add("anonymous", s.memory("RssAnon"))
	r.add("prompt", prompt)
	r.add("usable", usable)
	return s.close()
}

// resume50 measures a start that resumes a session of 50 MB: to the end of the conversation, and to a key, which is typed when
// the prompt is there, on the screen.
func resume50(r *Run) error {
	record := func(p place) error {
		dir, err := p.chats()
		if err != nil {
			return err
		}
		const size = 50 << 20
		return recorded.Pages(context.Background(), dir, size, 1<<20)
	}
	s := r.sit(hello, record, "--resume", "latest")
	s.send("a")
	s.see("All is read.")
	tail := s.since()
	s.see("> a")
	usable := s.since()
	s.settle()
	r.add("resident", s.memory("VmRSS"))
	r.add("anonymous", s.memory("RssAnon"))
	r.add("tail", tail)
	r.add("usable", usable)
	return s.close()
}

// headless measures a run without a terminal: to its first request, and its memory.
func headless(r *Run) error {
	dir, err := os.MkdirTemp("", "pollux-seat-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	p, err := newPlace(dir)
	if err != nil {
		return err
	}
	m := scene.Start(0)
	defer m.Close()
	cmd := exec.Command(r.Program, "-p", "hello")
	cmd.Dir, cmd.Env = p.work, p.environ(m.URL)
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return err
	}
	resident, anonymous := PeakMemory(cmd.Process.Pid)
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf("%w\n%s", err, &out)
	}
	requests := slices.DeleteFunc(m.TakeRequests(), func(q scene.Request) bool { return q.IsQuestion() })
	if len(requests) != 1 {
		return fmt.Errorf("%d requests for one prompt:\n%s", len(requests), &out)
	}
	r.add("request", milliseconds(requests[0].Arrived.Sub(began)))
	r.add("resident", resident)
	r.add("anonymous", anonymous)
	return nil
}
