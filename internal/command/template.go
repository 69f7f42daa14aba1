package command

import (
	"fmt"
	"strings"

	"pollux/tool"
)

// argsMark stands for the arguments of a command.
const argsMark = "{{args}}"

// segment is a part of a template: text, which may contain {{args}}, or the content of braces, without
// white space around it.
type segment struct {
	kind    segmentKind
	text    string
	written string // as it stands in the template
}

type segmentKind int

const (
	textSegment  segmentKind = iota
	fileSegment              // @{path}
	shellSegment             // !{command}
)

// parse splits a template at its @{...} and !{...}, which end at the brace that balances the first one. The
// text in braces is not split again: !{git log @{u}..} is a shell command. name is that of the command, for
// the error of braces that are not balanced.
func parse(name, template string) ([]segment, error) {
	var list []segment
	begin := 0 // of the text that is not yet in the list
	for at := 0; at < len(template); {
		kind := textSegment
		switch {
		case strings.HasPrefix(template[at:], "@{"):
			kind = fileSegment
		case strings.HasPrefix(template[at:], "!{"):
			kind = shellSegment
		default:
			at++
			continue
		}
		end := closingBrace(template, at+2)
		if end < 0 {
			//lint:ignore ST1005 the sentence is that of Gemini CLI
			return nil, fmt.Errorf("Invalid syntax in command '%s': Unclosed injection starting at index %d ('%s'). Ensure braces are balanced. Paths or commands with unbalanced braces are not supported directly.",
				name, tool.Units(template[:at]), template[at:at+2])
		}
		if begin < at {
			list = append(list, segment{textSegment, template[begin:at], template[begin:at]})
		}
		list = append(list, segment{kind, strings.TrimSpace(template[at+2 : end]), template[at : end+1]})
		at, begin = end+1, end+1
	}
	if begin < len(template) {
		list = append(list, segment{textSegment, template[begin:], template[begin:]})
	}
	return list, nil
}

// closingBrace returns the index of the brace that closes the one before from, -1 if there is none.
func closingBrace(text string, from int) int {
	open := 1
	for i := from; i < len(text); i++ {
		switch text[i] {
		case '{':
			open++
		case '}':
			if open--; open == 0 {
				return i
			}
		}
	}
	return -1
}
