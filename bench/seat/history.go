//go:build linux

package seat

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"pollux/bench/recorded"
)

// items is the number of items of a long history.
const items = 10_000

// stream is the script of an answer with paragraphs, 500 chunks a second. It lasts longer than a measurement.
var stream = streamTurn()

func streamTurn() string {
	var b strings.Builder
	b.WriteString("turn\n  rate 500\n")
	for n := range 60_000 {
		text := word(n)
		if n%40 == 39 {
			text += "\n\n"
		}
		fmt.Fprintf(&b, "  text %q\n", text)
	}
	return b.String()
}

// lastWord returns the number of the last word of an answer in the rows of a screen, -1 if there is none.
func lastWord(rows []string) (n int) {
	for _, row := range slices.Backward(rows) {
		if i := strings.LastIndex(row, "word"); i >= 0 {
			if _, err := fmt.Sscanf(row[i:], "word%d", &n); err == nil {
				return n
			}
		}
	}
	return -1
}

// awaitWord waits until a word of an answer, or a later one, is on the screen.
func (s *seat) awaitWord(n int) {
	s.await(word(n), func(rows []string) bool { return lastWord(rows) >= n })
}

// watchStream measures an answer that streams in: for ten seconds without keys, then with keys.
func (s *seat) watchStream(r *Run) {
	s.awaitWord(1000) // the first two seconds
	s.phase(r, func() []byte { time.Sleep(scaled(r, 10*time.Second)); return s.take() })
	s.phase(r, func() []byte { return s.typeKeys(r, scaled(r, keyCount)) })
}

// phase measures a part of an answer, during which do returns the output.
func (s *seat) phase(r *Run, do func() []byte) {
	if s.err != nil {
		return
	}
	s.take()
	first, ticks, began := lastWord(s.program.Screen()), s.ticks(), time.Now()
	output := do()
	last, took := lastWord(s.program.Screen()), time.Since(began).Seconds()
	size := 0
	for n := first; n < last; n++ {
		size += len(word(n))
	}
	r.add("rate", float64(last-first)/took)
	r.add("ratio", float64(len(output))/float64(max(size, 1)))
	r.add("frames", float64(frames(output))/took)
	r.add("cpu", (s.ticks()-ticks)/took)
}

// resumedHistory measures an answer in a session that was resumed with a long history.
func resumedHistory(r *Run) error {
	record := func(p place) error {
		dir, err := p.chats()
		if err != nil {
			return err
		}
		return recorded.Items(context.Background(), dir, items)
	}
	s := r.sit(stream, record, "--resume", "latest")
	s.see("Resumed after")
	s.send("go\r")
	s.watchStream(r)
	s.weigh(r)
	return s.close()
}

// livedHistory measures an answer in a session that has got a long history by itself: a hundred requests with a text and 99 calls
// each, for four prompts.
func livedHistory(r *Run) error {
	const prompts, calls = 4, items/100 - 1
	turns := scaled(r, 25)
	var script strings.Builder
	for p := range prompts {
		for n := range turns {
			fmt.Fprintf(&script, "turn\n  text \"I read the pages of part %d.%d now.\"\n", p, n)
			for page := range calls {
				fmt.Fprintf(&script, "  call read_file {\"file_path\": \"page%d\"}\n", page)
			}
		}
		fmt.Fprintf(&script, "turn\n  text \"Part %d is read.\"\n", p)
	}
	s := r.sit(script.String()+stream, nil)
	for p := range prompts {
		s.send(fmt.Sprintf("Read part %d\r", p))
		s.see(fmt.Sprintf("Part %d is read.", p))
	}
	s.settle()
	s.send("go\r")
	s.watchStream(r)
	s.weigh(r)
	return s.close()
}

// weigh measures the memory.
func (s *seat) weigh(r *Run) {
	r.add("resident", s.memory("VmRSS"))
	r.add("anonymous", s.memory("RssAnon"))
	r.add("peak", s.memory("VmHWM"))
}
