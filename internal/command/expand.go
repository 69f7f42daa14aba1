package command

import (
	"context"
	"strings"

	"pollux/internal/shellcmd"
	"pollux/internal/workspace"
	"pollux/llm"
)

// Call is a line that names a command.
type Call struct {
	Line string // as the user typed it: "/git:commit  now"
	Name string // of the command, for messages
	Args string // the rest of the line
}

// Session has the parts of a session that commands use.
type Session struct {
	Workspace *workspace.Workspace
	// Room returns the number of tokens that the files may have, 0 for no limit.
	Room func() int
	// Run runs shell commands, all or none, and returns the replacement of each: its output, and a line
	// about a failed command.
	Run func(ctx context.Context, commands []string) ([]string, error)
	// Note shows the user a line about a file that is left out.
	Note func(text string)
}

// Expand returns the message that a call of the command sends to the model.
func (c *Command) Expand(ctx context.Context, call Call, s Session) ([]llm.Part, error) {
	list, err := parse(call.Name, c.Prompt)
	if err != nil {
		return nil, err
	}
	files, err := readFiles(ctx, list, s)
	if err != nil {
		return nil, err
	}
	args := strings.Join(strings.Fields(call.Args), " ")
	outputs, err := runShell(ctx, list, args, s.Run)
	if err != nil {
		return nil, err
	}
	var m message
	for i, part := range list {
		switch part.kind {
		case textSegment:
			m.text(strings.ReplaceAll(part.text, argsMark, args))
		case shellSegment:
			m.text(outputs[i])
		case fileSegment:
			m.parts(files[part.text]...)
		}
	}
	if args != "" && !strings.Contains(c.Prompt, argsMark) {
		m.isOpen = len(m.list) > 0 && m.list[len(m.list)-1].InlineData == nil
		m.text("\n\n" + strings.TrimSpace(call.Line))
	}
	return m.list, nil
}

// message is a list of parts. Texts that follow one another are one part, those of files are their own.
type message struct {
	list   []llm.Part
	isOpen bool // the last part is a text that goes on
}

func (m *message) text(text string) {
	switch {
	case text == "":
	case m.isOpen:
		m.list[len(m.list)-1].Text += text
	default:
		m.list, m.isOpen = append(m.list, llm.Text(text)), true
	}
}

func (m *message) parts(parts ...llm.Part) {
	m.list, m.isOpen = append(m.list, parts...), false
}

// runShell runs the shell commands of a template, and returns the replacement of each, by its
// index.
func runShell(ctx context.Context, list []segment, args string, run func(context.Context, []string) ([]string, error)) (map[int]string, error) {
	var commands []string
	var at []int
	for i, part := range list {
		if part.kind != shellSegment {
			continue
		}
		if command := shellcmd.Fill(part.text, argsMark, args); strings.TrimSpace(command) != "" {
			commands, at = append(commands, command), append(at, i)
		}
	}
	if len(commands) == 0 {
		return nil, nil
	}
	outputs, err := run(ctx, commands)
	if err != nil {
		return nil, err
	}
	replaced := map[int]string{}
	for i, text := range outputs {
		replaced[at[i]] = text
	}
	return replaced, nil
}
