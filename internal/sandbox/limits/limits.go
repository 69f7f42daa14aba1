// Package limits restricts commands by the approval mode, as Gemini CLI does with security.toolSandboxing and its sandbox.toml:
//
//	limit, allowed := rules.For("default", "npm install")
//
// A mode takes the network from commands, makes the workspace read-only for all but approved programs, or forbids to ask for more. Single
// programs have permissions of their own.
package limits

import (
	"slices"
	"strings"

	"pollux/internal/shellcmd"
)

// Rules are the restrictions of each mode, and the permissions of programs. The methods of a nil *Rules restrict and allow nothing.
type Rules struct {
	// File is the name of the file that they are from, as people read it; "" if they are the built-in ones.
	File string
	// Modes are the restrictions by the names in the file, which are those of [Names].
	Modes map[string]Mode
	// Programs are the permissions of commands, by the names of their programs.
	Programs map[string]Permissions
}

// Mode is the restrictions of commands in a mode.
type Mode struct {
	HasNetwork bool
	// IsReadOnly means that only commands of the programs in Approved change files of the workspace.
	IsReadOnly bool
	Approved   []string
	// IsFinal means that no person is asked for more permission, and no program has any.
	IsFinal bool
}

// Permissions are those of the commands of a program.
type Permissions struct {
	Paths      []string // that they change
	Hosts      []string // that they reach
	HasNetwork bool
}

// Limit is the restrictions of one command. The zero Limit is none.
type Limit struct {
	IsOffline, IsReadOnly, IsFinal bool
	// IsBuiltIn means that the user has not written them down, so that settings of theirs about the network go first.
	IsBuiltIn bool
	// Source names their place for people; "" for the zero Limit.
	Source string
}

// Names returns the names of the modes in a file.
func Names() []string { return []string{"plan", "default", "accepting_edits"} }

// BuiltIn returns the restrictions where there is no file: those of Gemini CLI.
func BuiltIn() *Rules {
	return &Rules{Modes: map[string]Mode{
		"plan":            {IsReadOnly: true},
		"default":         {Approved: []string{"cat", "ls", "grep", "head", "tail", "less", "echo"}},
		"accepting_edits": {Approved: []string{"sed", "grep", "awk", "perl", "cat", "echo"}},
	}}
}

// Strictest returns the restrictions that stand for a mode which cannot be read: all of them, but a person can allow more.
func Strictest() Mode { return Mode{IsReadOnly: true} }

// Stricter returns the restrictions of both modes.
func (m Mode) Stricter(other Mode) Mode {
	approved := slices.DeleteFunc(slices.Clone(m.Approved), func(name string) bool { return other.IsReadOnly && !slices.Contains(other.Approved, name) })
	if !m.IsReadOnly {
		approved = other.Approved
	}
	return Mode{
		HasNetwork: m.HasNetwork && other.HasNetwork, IsReadOnly: m.IsReadOnly || other.IsReadOnly,
		IsFinal: m.IsFinal || other.IsFinal, Approved: approved,
	}
}

// inFile returns the name that an approval mode has in the file, "" for one without restrictions.
func inFile(mode string) string {
	switch mode {
	case "autoEdit", "sandboxed":
		return "accepting_edits"
	case "yolo":
		return ""
	}
	return mode
}

// For returns the restrictions of a command in an approval mode, and its permissions.
func (r *Rules) For(mode, command string) (Limit, Permissions) {
	if r == nil {
		return Limit{}, Permissions{}
	}
	name := inFile(mode)
	m, ok := r.Modes[name]
	if !ok {
		return Limit{}, r.permissions(command)
	}
	var allowed Permissions
	if !m.IsFinal {
		allowed = r.permissions(command)
	}
	l := Limit{
		IsOffline: !m.HasNetwork && !allowed.HasNetwork, IsReadOnly: m.IsReadOnly && !m.approves(command), IsFinal: m.IsFinal,
		IsBuiltIn: r.File == "", Source: "security.toolSandboxing",
	}
	if !l.IsBuiltIn {
		l.Source = "modes." + name + " of " + r.File
	}
	return l, allowed
}

// approves reports whether a command certainly runs only approved programs.
func (m *Mode) approves(command string) bool {
	names, ok := programs(command)
	return ok && !slices.ContainsFunc(names, func(name string) bool { return !slices.Contains(m.Approved, name) })
}

// permissions returns the permissions that all programs of a command have.
func (r *Rules) permissions(command string) (p Permissions) {
	if len(r.Programs) == 0 {
		return p
	}
	names, ok := besideCD(command)
	if !ok {
		return p
	}
	p = r.Programs[names[0]]
	for _, name := range names[1:] {
		p = p.both(r.Programs[name])
	}
	return p
}

// both returns the permissions that are in p and in other.
func (p Permissions) both(other Permissions) Permissions {
	common := func(list, others []string) []string {
		return slices.DeleteFunc(slices.Clone(list), func(text string) bool { return !slices.Contains(others, text) })
	}
	return Permissions{Paths: common(p.Paths, other.Paths), Hosts: common(p.Hosts, other.Hosts), HasNetwork: p.HasNetwork && other.HasNetwork}
}

// Program returns the name of the only program that a command runs besides cd, "" if it runs others or its text does not show all.
func Program(command string) string {
	if names, ok := besideCD(command); ok && len(names) == 1 {
		return names[0]
	}
	return ""
}

// besideCD returns the names of the programs that a command runs besides cd, and false if its text does not show all of them, or there are none.
func besideCD(command string) (names []string, ok bool) {
	names, ok = programs(command)
	names = slices.DeleteFunc(names, func(name string) bool { return name == "cd" })
	return names, ok && len(names) > 0
}

// programs returns the names of the programs that a command runs, and false if its text does not show all of them, or if one is named by a path: that
// is another program.
func programs(command string) (names []string, ok bool) {
	script, err := shellcmd.Parse(command)
	if err != nil || script.Evaluates != "" || len(script.Commands) == 0 {
		return nil, false
	}
	for i := range script.Commands {
		c := &script.Commands[i]
		if c.Assigns || c.Inner != "" || c.Name == "" || strings.Contains(c.Name, "/") || len(c.Words) == 0 || !c.Words[0].Static {
			return nil, false
		}
		if !slices.Contains(names, c.Name) {
			names = append(names, c.Name)
		}
	}
	return names, true
}
