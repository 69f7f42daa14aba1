package prompt

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"pollux/internal/charset"
	"pollux/internal/durable"
)

const (
	// maxTemplate is the maximum size of the user's own system instruction, in bytes.
	maxTemplate = 1 << 20
	// maxName is longer than every valid name in a template.
	maxName = 256
)

// TemplatePath returns the path for the value of GEMINI_SYSTEM_MD or GEMINI_WRITE_SYSTEM_MD, "" if the
// value disables the feature. dir is the working directory; expand replaces "~" with the home
// directory.
func TemplatePath(value, dir string, expand func(string) string) string {
	value = strings.TrimSpace(value)
	switch {
	case value == "" || isOff(value):
		return ""
	case value == "1" || strings.EqualFold(value, "true"):
		return filepath.Join(dir, ".gemini", "system.md")
	}
	path := expand(value)
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	return filepath.Clean(path)
}

// Template is a user's own system instruction. It may contain ${AgentSkills}, ${SubAgents},
// ${AvailableTools} and, for each tool, ${<name>_ToolName}.
type Template struct{ text string }

// NewTemplate returns a template with this text.
func NewTemplate(text string) *Template { return &Template{text} }

// ReadTemplate reads a template of at most 1 MiB. For a missing file, the error is the one
// that Gemini CLI prints: missing system prompt file '<path>'.
func ReadTemplate(path string) (*Template, error) {
	text, err := durable.ReadFile(path, maxTemplate)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("missing system prompt file '%s'", path)
	}
	if err != nil {
		return nil, fmt.Errorf("read system prompt file '%s': %w", path, err)
	}
	return NewTemplate(charset.Text(text)), nil
}

// Write writes a system instruction to a file for GEMINI_WRITE_SYSTEM_MD, and creates its
// directory. It refuses symbolic links: the usual path is in the project, which could contain
// a link to anywhere.
func Write(path, text string) error {
	if err := write(path, text); err != nil {
		return fmt.Errorf("write the system prompt: %w", err)
	}
	return nil
}

func write(path, text string) error {
	if err := durable.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer dir.Close()
	return durable.WriteFileAt(dir, filepath.Base(path), []byte(text), 0o644)
}

// fill returns the text with all variables replaced. Replacements are not expanded again, and
// unknown names stay unchanged.
func (t *Template) fill(s System) string {
	var b strings.Builder
	text := t.text
	for {
		before, rest, found := strings.Cut(text, "${")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		name, _, closed := strings.Cut(rest[:min(len(rest), maxName)], "}")
		value, known := "", false
		if closed {
			value, known = s.variable(name)
		}
		if known {
			b.WriteString(value)
			text = rest[len(name)+len("}"):]
		} else {
			b.WriteString("${")
			text = rest
		}
	}
}

// variable returns the value of a name in a template.
func (s System) variable(name string) (value string, known bool) {
	switch name {
	case "AgentSkills":
		return skills(s), true
	case "SubAgents":
		return agents(s), true
	case "AvailableTools":
		if len(s.Tools) == 0 {
			return "No tools are currently available.", true
		}
		return "- " + strings.Join(s.Tools, "\n- "), true
	}
	tool, ok := strings.CutSuffix(name, "_ToolName")
	if !ok {
		return "", false
	}
	shown := s.toolName(tool)
	return shown, shown != ""
}
