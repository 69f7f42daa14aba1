package subagent

import (
	"bytes"
	"errors"
)

// splitFrontMatter separates the YAML between two lines "---" at the start of a file from the text after
// it.
func splitFrontMatter(file []byte) (yaml, body []byte, err error) {
	file = bytes.TrimPrefix(file, []byte("\ufeff"))
	first, rest, _ := bytes.Cut(file, []byte("\n"))
	if !isDashes(first) {
		return nil, nil, errNoFrontMatter
	}
	for at := 0; at < len(rest); {
		line, _, _ := bytes.Cut(rest[at:], []byte("\n"))
		next := min(at+len(line)+1, len(rest))
		if isDashes(line) {
			return rest[:at], rest[next:], nil
		}
		at = next
	}
	return nil, nil, errNoFrontMatter
}

func isDashes(line []byte) bool { return string(bytes.TrimSuffix(line, []byte("\r"))) == "---" }

//lint:ignore ST1005 the text is that of Gemini CLI
var errNoFrontMatter = errors.New(`Invalid agent definition: Missing mandatory YAML frontmatter. Start the file with its name and description between two lines "---".`)
