package policy

import (
	"errors"
	"fmt"
)

// Mode is the approval mode: which calls run without asking. The modes are ordered from the
// strictest to the most permissive.
type Mode uint8

// The approval modes.
const (
	Plan      Mode = iota // read-only, until a plan is approved
	Default               // ask before changes
	AutoEdit              // edit files without asking
	Sandboxed             // and run commands that a sandbox confines and undo takes back
	Yolo                  // ask nothing
)

// modes are all modes.
var modes = [...]Mode{Plan, Default, AutoEdit, Sandboxed, Yolo}

// String returns the mode's name in policies, hooks and protocols, such as "autoEdit".
func (m Mode) String() string {
	switch m {
	case Plan:
		return "plan"
	case AutoEdit:
		return "autoEdit"
	case Sandboxed:
		return "sandboxed"
	case Yolo:
		return "yolo"
	}
	return "default"
}

// ParseMode parses a mode as written in flags and settings ("auto_edit") or policies
// ("autoEdit").
func ParseMode(s string) (Mode, error) {
	switch s {
	case "default":
		return Default, nil
	case "auto_edit", "autoEdit":
		return AutoEdit, nil
	case "sandboxed":
		return Sandboxed, nil
	case "yolo":
		return Yolo, nil
	case "plan":
		return Plan, nil
	}
	//lint:ignore ST1005 scripts know the text
	return Default, fmt.Errorf("Invalid approval mode: %s. Valid values are: yolo, auto_edit, plan, default, sandboxed", s)
}

// StartMode returns the initial mode of a session for the requested one. In an untrusted
// folder it is [Default], with a warning.
func StartMode(asked Mode, trusted bool) (m Mode, warning string) {
	if !trusted && asked != Default {
		return Default, `Approval mode overridden to "default" because the current folder is not trusted.`
	}
	return asked, ""
}

// The errors of [Engine.SetMode].
var (
	//lint:ignore ST1005 people know the text
	ErrUntrusted = errors.New("Cannot enable privileged approval modes in an untrusted folder.")
	//lint:ignore ST1005 people know the text
	ErrNoYolo = errors.New("You cannot enter YOLO mode since it is disabled in your settings.")
	// errUnconfined is the error where nothing says that commands are confined.
	errUnconfined = errors.New("commands do not run in a sandbox")
)

// Modes is a set of modes. The zero value contains all of them. One with [AutoEdit] contains [Sandboxed], which asks for less: rules for
// the one hold in the other.
type Modes uint8

// In returns the set of the given modes.
func In(modes ...Mode) Modes {
	var s Modes
	for _, m := range modes {
		s |= 1 << m
	}
	return s
}

// From returns the set of m and all more permissive modes. [Sandboxed] is the same as [AutoEdit] in it.
func From(m Mode) Modes {
	if m == Sandboxed {
		m = AutoEdit
	}
	return In(Plan, Default, AutoEdit, Yolo) &^ (1<<m - 1) // without those below m
}

// list returns the names of the modes in the set. Gemini CLI, which reads policies too, does not know [Sandboxed]; it is left out where
// [AutoEdit] stands for it.
func (s Modes) list() []string {
	var names []string
	for _, m := range modes {
		if s.Has(m) && (m != Sandboxed || !s.Has(AutoEdit)) {
			names = append(names, m.String())
		}
	}
	return names
}

// Has reports whether m is in the set.
func (s Modes) Has(m Mode) bool {
	return s == 0 || s&(1<<m) != 0 || m == Sandboxed && s&(1<<AutoEdit) != 0
}
