//go:build linux

package seat

import (
	"fmt"
	"strings"
	"time"
)

// work is the script of a turn: text, code, a table, a list, and calls, one of which asks.
const work = `turn
  rate 200
  text "I look at part %[1]d.\n\n"
  text "` + "```go\\nfunc main() {\\n\\tprintln(%[1]d)\\n}\\n```" + `\n\n"
  text "| a | b |\n|---|---|\n"
  text "| one | two |\n| three | four |\n\n"
  text "- an item\n- another *item*\n\n"
  text "A paragraph with many words, which the terminal has to break into rows because it is as long as a paragraph of this kind is. "
  text "It goes on for a while."
  call read_file {"file_path": "page1"}
  call list_directory {"dir_path": "."}
  call run_shell_command {"command": "touch made%[1]d"}
turn
  rate 200
  text "This is the end of part %[1]d."
`

// sizes are those of the terminal in a session.
var sizes = [...][2]int{{120, 40}, {80, 24}, {200, 60}, {40, 15}, {100, 30}}

// session measures a long session: turns with questions, keys, changes of the size, the shortcuts, and a shell command.
func session(r *Run) error {
	const most = 2000
	var script strings.Builder
	for n := range most {
		fmt.Fprintf(&script, work, n)
	}
	s := r.sit(script.String(), nil)
	s.settle()
	s.take()
	end := time.Now().Add(r.Session)
	turns := 0
	for ; s.err == nil && turns < most && time.Now().Before(end); turns++ {
		began, ticks := time.Now(), s.ticks()
		s.turn(turns)
		took := time.Since(began).Seconds()
		r.add("frames", float64(frames(s.take()))/took)
		r.add("cpu", (s.ticks()-ticks)/took)
	}
	r.add("turns", float64(turns))
	if s.err == nil {
		r.add("clears", float64(s.program.Clears()))
	}
	r.add("resident", s.memory("VmRSS"))
	return s.close()
}

// turn plays a turn.
func (s *seat) turn(n int) {
	if n%3 == 0 {
		size := sizes[n/3%len(sizes)]
		s.try(func() error { return s.program.Resize(size[0], size[1]) })
	}
	if n%15 == 0 { // the shortcuts, opened and closed, while there is room for them
		const shortcut = "YOLO mode"
		s.send("?")
		s.see(shortcut)
		s.send("\x1b")
		s.unsee(shortcut) // a key right behind Esc would be one with Alt
	}
	if n%7 == 0 {
		s.send("!")
		s.see("shell mode")
		s.send(fmt.Sprintf("echo line $((%d+1000))\r", n))
		s.see(fmt.Sprintf("line %d", n+1000))
		s.send("\x1b")
		s.unsee("shell mode")
	}
	for _, key := range fmt.Sprintf("Read part %d", n) {
		s.send(string(key))
		time.Sleep(10 * time.Millisecond)
	}
	s.send("\r")
	s.see("Allow once")
	time.Sleep(400 * time.Millisecond) // a question ignores keys at first
	s.send("\r")
	s.see(fmt.Sprintf("end of part %d.", n))
	s.settle()
}
