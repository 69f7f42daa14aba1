package vim

import (
	"strings"

	"pollux/internal/face/tui/buffer"
)

// command is a complete command, such as "3dfx": count 3, operator "d", name "f", argument "x".
type command struct {
	count    int    // 0 for none
	operator string // "d", "c", "y", or "" for none
	name     string // of the motion, the text object or the edit; "line" for an operator typed twice
	argument string // the character of f, F, t, T and r
	shape    shape  // of the text of a command named "selection"
}

// times returns the count, 1 if there is none.
func (c *command) times() int { return max(c.count, 1) }

// pending is the beginning of a command.
type pending struct {
	operator      string
	before, count int    // the counts before and behind the operator
	prefix        string // a key to which another one belongs
}

// maxCount limits counts, so that no command runs for long.
const maxCount = 9999

// add takes the next key. It returns a command once it is complete, with an empty name if there is none of these keys.
func (p *pending) add(key string, k kind) (c command, isComplete bool) {
	takesObject := p.operator != "" || k != normal
	switch {
	case p.prefix != "":
		return p.addSecond(key), true
	case len(key) == 1 && (key >= "1" && key <= "9" || key == "0" && p.count > 0):
		p.count = min(10*p.count+int(key[0]-'0'), maxCount)
		return c, false
	case key == "g", key == "r" && !takesObject, len(key) == 1 && strings.Contains("fFtT", key), takesObject && (key == "i" || key == "a"):
		p.prefix = key
		return c, false
	case len(key) == 1 && strings.Contains("dcy", key) && k == normal:
		if p.operator == key {
			return p.command("line", ""), true
		}
		if p.operator != "" {
			return c, true
		}
		p.operator, p.before, p.count = key, p.count, 0
		return c, false
	}
	return p.command(key, ""), true
}

// addSecond takes the key behind the prefix.
func (p *pending) addSecond(key string) command {
	switch p.prefix {
	case "g", "i", "a":
		return p.command(p.prefix+key, "")
	}
	return p.command(p.prefix, key)
}

func (p *pending) command(name, argument string) command {
	count := p.count
	if p.before > 0 {
		count = min(p.before*max(count, 1), maxCount)
	}
	return command{count: count, operator: p.operator, name: name, argument: argument}
}

// run carries out a command. One that does not exist has no effect.
func (m *Mode) run(c command, b *buffer.Buffer) Outcome {
	before := m.column
	m.column = column{}
	switch {
	case m.kind != normal:
		if c.name == "j" || c.name == "k" {
			m.column = before
		}
		m.runVisual(c, b)
	case c.operator != "":
		m.change(c, b)
	case c.name == "j" || c.name == "k":
		m.column = before
		return m.moveRows(c, b)
	case m.isEdit(c.name):
		m.change(c, b)
	case c.name == ".":
		m.repeat(c.count, b)
	case c.name == "u":
		for i := 0; i < c.times() && b.Undo(); i++ {
		}
	case c.name == "<redo>":
		for i := 0; i < c.times() && b.Redo(); i++ {
		}
	case c.name == "v" || c.name == "V":
		m.anchor, m.column = b.Cursor(), before
		m.kind = map[string]kind{"v": visual, "V": visualLine}[c.name]
	case c.name == "Y":
		m.operate(command{count: c.count, operator: "y", name: "line"}, b)
	default:
		m.move(c, b)
	}
	m.Settle(b)
	return Handled
}

// move moves the cursor.
func (m *Mode) move(c command, b *buffer.Buffer) {
	t, ok := m.motion(c, b)
	if !ok {
		return
	}
	b.MoveTo(t.at)
	if c.name == "$" {
		if m.kind != normal {
			b.End()
		}
		m.column = column{isOn: true, isEnd: true, from: b.Cursor(), at: b.Cursor()}
	}
}
