package skill

import (
	"errors"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v4"

	"pollux/internal/frontmatter"
	"pollux/internal/terminal"
)

const (
	maxFrontMatter = 64 << 10 // bytes
	maxName        = 100      // bytes
	maxDescription = 4096     // characters
)

var errNoFrontMatter = errors.New("it does not start with front matter: a line ---, name, description, and a line ---")

// header is the part of the front matter that counts.
type header struct {
	name, description string
	isManual          bool // disable-model-invocation
}

// parseHeader reads the front matter of a SKILL.md. The name and the description are as written. fallback is the name of a skill
// without one, "" if it must have one.
func parseHeader(text, fallback string) (header, error) {
	front, _, ok := frontmatter.Cut(text)
	switch {
	case !ok:
		return header{}, errNoFrontMatter
	case len(front) > maxFrontMatter:
		return header{}, errors.New("the front matter is larger than 64 KB")
	}
	h, ok := parsePlain(front)
	if !ok {
		h, ok = parseYAML(front, fallback)
	}
	if !ok {
		h, ok = parseLines(front, fallback)
	}
	if !ok {
		return header{}, errors.New("the front matter needs a name and a description, both texts")
	}
	return h, nil
}

// parsePlain reads front matter that needs no parser of YAML, which takes thirty times as long: a name and a
// description, each a line that means the same in YAML. ok is false for all else.
func parsePlain(front string) (h header, ok bool) {
	for line := range strings.Lines(front) {
		key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		to := &h.name
		if key == "description" {
			to = &h.description
		}
		if key != "name" && key != "description" || *to != "" || !isPlainText(value) {
			return header{}, false
		}
		*to = value
	}
	return h, h.name != "" && h.description != ""
}

// isPlainText reports whether a value is a text in YAML, and as it is written: words of ASCII that begin with a letter.
func isPlainText(value string) bool {
	const others = " .,;'()/+-_"
	if value == "" || !isLetter(value[0]) || strings.HasSuffix(value, " ") {
		return false
	}
	for i := range len(value) {
		if c := value[i]; !isLetter(c) && (c < '0' || c > '9') && strings.IndexByte(others, c) < 0 {
			return false
		}
	}
	switch strings.ToLower(value) {
	case "null", "true", "false", "yes", "no", "on", "off", "y", "n":
		return false
	}
	return true
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// parseYAML reads front matter as YAML. ok is false if it is not valid, or has no name and description that
// are strings. A missing name is fallback.
func parseYAML(front, fallback string) (h header, ok bool) {
	var found struct {
		Name, Description any
		IsManual          any `yaml:"disable-model-invocation"`
	}
	if err := yaml.Unmarshal([]byte(front), &found); err != nil {
		return h, false
	}
	var hasName, hasDescription bool
	h.name, hasName = found.Name.(string)
	h.description, hasDescription = found.Description.(string)
	if found.Name == nil && fallback != "" {
		h.name, hasName = fallback, true
	}
	h.isManual = found.IsManual != nil && found.IsManual != false
	return h, hasName && hasDescription
}

// parseLines reads front matter that is no valid YAML, such as a description with a colon. Indented lines
// continue a description. A missing name is fallback.
func parseLines(front, fallback string) (h header, ok bool) {
	hasDescription, hasName := false, fallback != ""
	h.name = fallback
	lines := strings.Split(front, "\n")
	for i := 0; i < len(lines); i++ {
		key, value, found := strings.Cut(lines[i], ":")
		switch key = strings.TrimLeft(key, " \t"); {
		case !found:
		case key == "name":
			h.name, hasName = strings.TrimSpace(value), true
		case key == "disable-model-invocation":
			h.isManual = strings.TrimSpace(value) != "false"
		case key == "description":
			parts := []string{strings.TrimSpace(value)}
			for i+1 < len(lines) && strings.TrimSpace(lines[i+1]) != "" && strings.ContainsAny(lines[i+1][:1], " \t") {
				i++
				parts = append(parts, strings.TrimSpace(lines[i]))
			}
			h.description, hasDescription = strings.TrimSpace(strings.Join(parts, " ")), true
		}
	}
	return h, hasName && hasDescription
}

// cleanName returns a name without characters that file names, commands or the screen cannot have, "" if
// nothing is left.
func cleanName(name string) string {
	name = strings.TrimSpace(terminal.Line(name))
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(`:\/<>*?"|`, r) || unicode.IsControl(r) {
			return '-'
		}
		return r
	}, name)
}

// cleanDescription returns a description that is safe to show.
func cleanDescription(text string) string {
	return terminal.Cut(strings.TrimSpace(terminal.Text(text)), maxDescription)
}
