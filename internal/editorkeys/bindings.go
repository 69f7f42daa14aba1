package editorkeys

import (
	"encoding/json"
	"slices"
	"strings"
)

// Binding is a key for which the terminal of an editor sends a sequence to the program in it.
type Binding struct {
	Key    string // as keybindings.json has it
	Name   string // for people
	Effect string // in Pollux
	text   string // that is sent
}

// Sequences of the keys, in which other programs know them too.
const (
	altEnter = "\x1b\r"
	// The code of z in kitty's protocol, with the modifiers.
	altZ      = "\x1b[122;3u"
	altShiftZ = "\x1b[122;4u"
	cmdZ      = "\x1b[122;9u"
	cmdShiftZ = "\x1b[122;10u"
)

// Bindings returns the bindings that Pollux needs on an operating system, as in [runtime.GOOS].
func Bindings(goos string) []Binding {
	list := []Binding{
		{"shift+enter", "Shift+Enter", "new line", altEnter},
		{"ctrl+enter", "Ctrl+Enter", "new line", altEnter},
		{"alt+z", "Alt+Z", "undo", altZ},
		{"shift+alt+z", "Shift+Alt+Z", "redo", altShiftZ},
	}
	if goos == "darwin" {
		list = append(list, Binding{"cmd+z", "Cmd+Z", "undo", cmdZ}, Binding{"shift+cmd+z", "Shift+Cmd+Z", "redo", cmdShiftZ})
	}
	return list
}

// newLines are the sequences with which Pollux begins a new line: those of other programs' set-ups too.
var newLines = [...]string{altEnter, "\\\r\n", "\\\r", "\\\n", "\n", "\x1b\n", "\x1b[13;2u", "\x1b[13;5u", "\x1b[27;2;13~", "\x1b[27;5;13~"}

// sends reports whether a sequence has the effect of the binding.
func (b *Binding) sends(text string) bool {
	return text == b.text || b.text == altEnter && slices.Contains(newLines[:], text)
}

const (
	sendSequence = "workbench.action.terminal.sendSequence"
	inTerminal   = "terminalFocus"
)

// entry is an element of keybindings.json.
type entry struct {
	Key     string `json:"key"`
	Command string `json:"command"`
	When    string `json:"when,omitempty"`
	Args    struct {
		Text string `json:"text"`
	} `json:"args"`
}

// entry returns the binding as an element of the file.
func (b *Binding) entry() entry {
	e := entry{Key: b.Key, Command: sendSequence, When: inTerminal}
	e.Args.Text = b.text
	return e
}

// appliesTo reports whether an entry counts for the key of a binding while a terminal has the keyboard. One that removes a default binding
// does not.
func (e *entry) appliesTo(b *Binding) bool {
	isThere := e.When == "" || strings.Contains(e.When, "terminal") && !strings.Contains(e.When, "!"+inTerminal)
	return isThere && !strings.HasPrefix(e.Command, "-") && normalized(e.Key) == normalized(b.Key)
}

// normalized returns a key with its modifiers in order.
func normalized(key string) string {
	parts := strings.Split(strings.ToLower(strings.TrimSpace(key)), "+")
	slices.Sort(parts[:len(parts)-1])
	return strings.Join(parts, "+")
}

// State is how the bindings stand in a file.
type State struct {
	Missing   []Binding
	Conflicts []Conflict
}

// Conflict is a binding whose key has another effect.
type Conflict struct {
	Binding
	Command string // of the file, for the key
}

// IsComplete reports whether there is nothing to add.
func (s *State) IsComplete() bool { return len(s.Missing) == 0 }

// stateOf returns how bindings stand in the entries of a file. Of two entries for a key, the last one counts, as in the editors.
func stateOf(raw []json.RawMessage, bindings []Binding) (s State) {
	var entries []entry
	for _, r := range raw {
		var e entry
		if json.Unmarshal(r, &e) == nil { // an entry of another form is for no key of ours
			entries = append(entries, e)
		}
	}
	for _, b := range bindings {
		at := -1
		for i := range entries {
			if entries[i].appliesTo(&b) {
				at = i
			}
		}
		switch {
		case at < 0:
			s.Missing = append(s.Missing, b)
		case entries[at].Command != sendSequence || !b.sends(entries[at].Args.Text):
			s.Conflicts = append(s.Conflicts, Conflict{b, entries[at].Command})
		}
	}
	return s
}
