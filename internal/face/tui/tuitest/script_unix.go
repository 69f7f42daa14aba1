//go:build linux || darwin || dragonfly || freebsd || netbsd || openbsd

package tuitest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Play runs a program at a terminal and types into it, following a script, a statement a line:
//
//	size W H MANNER
//	               the size of the terminal, 80 by 24 by default, and how it answers queries, if not at once: mute, late or
//	               garbage; framed is one that shows each frame at once; it is the first line
//	see TEXT       waits until TEXT is on the screen
//	unsee TEXT     waits until TEXT is not on the screen
//	title TEXT     waits until the title of the window has TEXT
//	bytes TEXT     waits until the program has written TEXT, with its control sequences
//	never TEXT     checks that the program has not written TEXT
//	count N TEXT   waits until N rows of the scrollback and the screen have TEXT, at rest
//	type TEXT      types TEXT
//	send TEXT      types TEXT and Enter
//	press KEY...   presses keys, such as enter, up, ctrl-c, shift-tab, esc
//	rush TEXT      types TEXT at once; type, send, press, paste, shot and whole wait until a question on the screen takes answers,
//	               and until the program rests if keys were typed before and a statement since has waited for a text that was there anyway
//	paste TEXT     pastes TEXT, as a terminal with bracketed paste does
//	repeat N TEXT  types TEXT so many times
//	pour BYTES     pastes lines of 64 bytes
//	resize W H     changes the size of the terminal
//	storm N        changes the size so many times within a second; the last size is as before
//	deaf, hear     the terminal takes no more output; it does again
//	watch          from now on, each frame shows one input with no blank row, and the cursor behind the draft; for a terminal
//	               that is framed
//	unwatch N      ends watch, which must have seen N frames or more
//	rest           waits until keys are read and the screen does not change any more
//	shot FILE      writes the rows of the screen to a file, at rest
//	whole FILE     writes the scrollback and the screen to a file, at rest
//	signal SIG     sends TERM, HUP, INT, QUIT, STOP, CONT, USR1 or KILL to the program alone
//	modes          checks that the modes of the terminal are as before the program
//	wait PATTERN   waits until a file of the pattern exists
//	touch FILE     makes an empty file, for which another program waits
//	end CODE       waits for the program to end with this code, and checks the modes of the terminal unless the line ends in
//	               dirty; it is the last line
//
// In TEXT, \n is a line end, \e is ESC, \a is BEL, \r the Enter key and \b the Backspace key, and {{NAME}} the variable of the environment that getenv returns. A line that starts with # is
// a comment. At the end, Play writes the scrollback and the screen to out.
func Play(script string, command []string, getenv func(name string) string, out io.Writer) error {
	data, err := os.ReadFile(script)
	if err != nil {
		return err
	}
	width, height, manner := 80, 24, ""
	first, _, _ := strings.Cut(string(data), "\n")
	_, _ = fmt.Sscanf(first, "size %d %d %s", &width, &height, &manner) // another first line keeps the default
	e := NewEmulator(width, height)
	e.Manner = Manner(manner)
	program, err := StartAt(e, command, nil)
	if err != nil {
		return err
	}
	defer program.Close()
	p := player{Program: program, getenv: getenv}
	for i, line := range strings.Split(string(data), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' || strings.HasPrefix(line, "size ") {
			continue
		}
		if err := p.do(line); err != nil {
			return fmt.Errorf("%s:%d: %s: %w\n--- the scrollback and the screen ---\n%s", script, i+1, line, err, strings.Join(p.Whole(), "\n"))
		}
	}
	if !p.hasEnded {
		return errors.New(script + ": it does not say how the program ends")
	}
	_, err = io.WriteString(out, strings.Join(p.Whole(), "\n")+"\n")
	return err
}

// Do runs a statement of a script: see [Play].
func (p *Program) Do(statement string, getenv func(name string) string) error {
	return (&player{Program: p, getenv: getenv}).do(statement)
}

// player is a program with the state of a script.
type player struct {
	*Program
	getenv   func(name string) string
	effect   effect
	hasEnded bool
}

// effect is the knowledge of a script about the effect of the last keys.
type effect int

const (
	proved   effect = iota // a statement has waited for it, or there were no keys
	unasked                // no statement has waited since: keys that follow belong to those before
	unproved               // a statement has waited for a text or a file that was there anyway
)

// do runs a statement.
func (p *player) do(line string) error {
	word, rest, _ := strings.Cut(line, " ")
	rest = p.expand(strings.NewReplacer(`\n`, "\n", `\e`, "\x1b", `\a`, "\a", `\b`, "\x7f", `\r`, "\r").Replace(rest))
	switch word {
	case "type", "send", "press", "paste", "shot", "whole":
		if err := p.AwaitQuestion(); err != nil {
			return err
		}
		if p.effect == unproved {
			p.Settle()
		}
	}
	switch word {
	case "type", "send", "press", "paste", "rush", "repeat", "pour":
		p.effect = unasked
	case "count", "never", "rest", "modes", "shot", "whole":
		p.effect = proved
	}
	switch word {
	case "see":
		return p.await(func(rows []string) bool { return shows(rows, rest) })
	case "unsee":
		return p.await(func(rows []string) bool { return !shows(rows, rest) })
	case "title":
		return p.await(func([]string) bool { return strings.Contains(p.titles.last, rest) })
	case "bytes":
		return p.await(func([]string) bool { return bytes.Contains(p.output, []byte(rest)) })
	case "count":
		return p.count(rest)
	case "never":
		return p.never(rest)
	case "type", "rush":
		return p.Send(rest)
	case "send":
		return p.Send(rest + "\r")
	case "press":
		return p.press(strings.Fields(rest))
	case "paste":
		return p.Send("\x1b[200~" + rest + "\x1b[201~")
	case "repeat", "pour", "resize", "storm", "unwatch":
		return p.doNumbers(word, rest)
	case "deaf":
		p.Deafen()
		return nil
	case "hear":
		p.Hear()
		return nil
	case "watch":
		p.watchInput()
		return nil
	case "rest":
		p.Settle()
		return nil
	case "shot":
		p.Settle()
		return p.writeRows(rest, p.Screen())
	case "whole":
		p.Settle()
		return p.writeRows(rest, p.Whole())
	case "signal":
		return p.signal(rest)
	case "modes":
		p.Settle()
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.modes.check()
	case "wait":
		return p.waitFor(rest)
	case "touch":
		return os.WriteFile(rest, nil, 0o600)
	case "end":
		return p.end(rest)
	}
	return errors.New("there is no such word")
}

// await is [Program.Wait]. It notes whether there was anything to wait for.
func (p *player) await(is func(rows []string) bool) error {
	return p.Wait(func(rows []string) bool {
		isThere := is(rows)
		p.note(isThere)
		return isThere
	})
}

// note notes whether the text or file of a statement is there: one that was not there before proves the effect of the last keys.
func (p *player) note(isThere bool) {
	switch {
	case !isThere:
		p.effect = proved
	case p.effect == unasked:
		p.effect = unproved
	}
}

// doNumbers runs a statement with numbers.
func (p *player) doNumbers(word, rest string) error {
	number, text, _ := strings.Cut(rest, " ")
	n, err := strconv.Atoi(number)
	if err != nil {
		return err
	}
	switch word {
	case "repeat":
		return p.Send(strings.Repeat(text, n))
	case "pour":
		return p.Send("\x1b[200~" + chunked(n) + "\x1b[201~")
	case "storm":
		return p.Storm(n)
	case "unwatch":
		return p.unwatch(n)
	}
	height, err := strconv.Atoi(text)
	if err != nil {
		return err
	}
	return p.Resize(n, height)
}

// never checks that the program has not written a text.
func (p *player) never(text string) error {
	p.Settle()
	p.mu.Lock()
	defer p.mu.Unlock()
	if bytes.Contains(p.output, []byte(text)) {
		return errors.New("the program has written it")
	}
	return nil
}

// expand replaces {{NAME}} by variables of the environment.
func (p *player) expand(text string) string {
	for {
		before, rest, ok := strings.Cut(text, "{{")
		if !ok {
			return text
		}
		name, after, _ := strings.Cut(rest, "}}")
		text = before + p.getenv(name) + after
	}
}

// shows reports whether rows have a text, which may go on over rows.
func shows(rows []string, text string) bool {
	return slices.ContainsFunc(rows, func(row string) bool { return strings.Contains(row, text) }) || strings.Contains(strings.Join(rows, "\n"), text)
}

func (p *player) count(rest string) error {
	var want int
	number, text, _ := strings.Cut(rest, " ")
	if _, err := fmt.Sscan(number, &want); err != nil {
		return err
	}
	for end := time.Now().Add(patience()); ; time.Sleep(20 * time.Millisecond) {
		p.Settle()
		got := 0
		for _, row := range p.Whole() {
			if strings.Contains(row, text) {
				got++
			}
		}
		switch {
		case got == want:
			return nil
		case p.hasGone() || time.Now().After(end):
			return fmt.Errorf("there are %d rows", got)
		}
	}
}

// keyCodes are the sequences of keys in the encoding of xterm.
var keyCodes = map[string]string{
	"enter": "\r", "esc": "\x1b", "tab": "\t", "shift-tab": "\x1b[Z", "backspace": "\x7f", "space": " ", "delete": "\x1b[3~",
	"up": "\x1b[A", "down": "\x1b[B", "right": "\x1b[C", "left": "\x1b[D", "home": "\x1b[H", "end": "\x1b[F", "pageup": "\x1b[5~",
	"pagedown": "\x1b[6~", "alt-enter": "\x1b\r", "f4": "\x1bOS", "f12": "\x1b[24~", "alt-up": "\x1b[1;3A", "alt-z": "\x1bz", "alt-m": "\x1bm", "alt-c": "\x1bc",
}

func (p *player) press(names []string) error {
	for _, name := range names {
		code, ok := keyCodes[name]
		if letter, isCtrl := strings.CutPrefix(name, "ctrl-"); isCtrl && len(letter) == 1 {
			code, ok = string(rune(letter[0]&0x1f)), true
		}
		if !ok && len(name) > 1 {
			return fmt.Errorf("there is no key %s", name)
		} else if !ok {
			code = name
		}
		if err := p.Send(code); err != nil {
			return err
		}
		if name == "esc" {
			p.awaitRead()
			time.Sleep(300 * time.Millisecond) // a key behind it would be one with Alt, and a busy program is late to note the time of Esc
		}
	}
	return nil
}

func (p *player) signal(name string) error {
	s, ok := map[string]syscall.Signal{
		"TERM": syscall.SIGTERM, "HUP": syscall.SIGHUP, "INT": syscall.SIGINT, "QUIT": syscall.SIGQUIT, "KILL": syscall.SIGKILL, "STOP": syscall.SIGSTOP, "CONT": syscall.SIGCONT,
		"USR1": syscall.SIGUSR1,
	}[name]
	if !ok {
		return errors.New("there is no such signal here")
	}
	return p.Signal(s)
}

func (p *player) end(want string) error {
	want, isDirty := strings.CutSuffix(want, " dirty")
	code, err := p.End()
	if isDirty {
		err = nil
	}
	if got := fmt.Sprint(code); err == nil && got != want {
		err = fmt.Errorf("it ended with %s", got)
	}
	p.hasEnded = true
	return err
}

func (p *player) waitFor(path string) error {
	for end := time.Now().Add(patience()); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		found, err := filepath.Glob(path)
		p.note(len(found) > 0)
		if err != nil || len(found) > 0 {
			return err
		}
	}
	return errors.New("it does not come")
}

// writeRows writes rows to a file. The directory of the script, which is another one in each run, becomes $WORK.
func (p *player) writeRows(path string, rows []string) error {
	text := strings.Join(rows, "\n") + "\n"
	if dir := p.getenv("WORK"); dir != "" {
		text = strings.ReplaceAll(text, dir, "$WORK")
	}
	return os.WriteFile(path, []byte(text), 0o600)
}
