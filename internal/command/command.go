// Package command reads custom commands: files of a prompt, which a user runs as /name.
//
// A file is TOML with a prompt and a description. Its path below the directory of commands is its name:
// git/commit.toml is /git:commit.
//
//   - load.go finds and reads the files of the user, the project and extensions.
//   - template.go parses the prompt: text, {{args}}, @{files} and !{shell commands}.
//   - expand.go makes the message for the model. The text of files, the output of commands and the
//     arguments are not parsed: only what stands in the template counts.
package command

import "pollux/internal/process"

// Kind is where a command comes from.
type Kind int

// The kinds, in the order in which commands are loaded.
const (
	User      Kind = iota // the user's own
	Workspace             // of the project
	Extension
)

// Origin returns the origin of the shell commands in prompts of this kind.
func (k Kind) Origin() process.Origin {
	return [...]process.Origin{User: process.OriginUser, Workspace: process.OriginProject, Extension: process.OriginExtension}[k]
}

// Source is a directory with command files.
type Source struct {
	Kind  Kind
	Owner string // name of the extension, else ""
	Dir   string
	// Root is the directory that links below Dir must not lead out of, "" to follow all links.
	Root string
}

// Command is a command of a file.
type Command struct {
	Source
	// Name is the name without the slash: characters other than letters, digits, "_", ".", "-" and ":"
	// are replaced.
	Name        string
	Path        string
	Description string // one clean line
	Prompt      string // the template
}

// Problem is a file or a directory that is left out.
type Problem struct {
	Path   string
	Reason string // "the prompt is missing"
}
