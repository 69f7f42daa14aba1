package outline

import (
	"strconv"
	"strings"

	"pollux/llm/ellipsis"
)

// findHeadings returns the headings of a Markdown text outside of code.
func findHeadings(text string) []Line {
	var lines []Line
	number, fence := 0, "" // the fence that began a block of code
	for line := range strings.Lines(text) {
		number++
		code := head(line)
		if mark := fenceOf(code); mark != "" {
			switch {
			case fence == "":
				fence = mark
			case strings.HasPrefix(mark, fence) && mark == code:
				fence = ""
			}
			continue
		}
		level := len(code) - len(strings.TrimLeft(code, "#"))
		if fence != "" || level == 0 || level > 6 || line[0] != '#' || len(code) == level || code[level] != ' ' {
			continue
		}
		title := code[level:]
		if open := strings.TrimRight(title, "#"); strings.HasSuffix(open, " ") { // "## Title ##"
			title = open
		}
		if title = strings.TrimSpace(title); title == "" {
			continue
		}
		if len(lines) == maxLines {
			break
		}
		lines = append(lines, Line{number, level - 1, ellipsis.Runes(title, maxText)})
	}
	return lines
}

// fenceOf returns the backticks or tildes with which a line begins or ends a block of code.
func fenceOf(code string) string {
	for _, mark := range []string{"`", "~"} {
		if n := len(code) - len(strings.TrimLeft(code, mark)); n >= 3 {
			return code[:n]
		}
	}
	return ""
}

// findSections returns the sections of a TOML or INI file, and the keys before the first one.
func findSections(text string) []Line {
	var lines []Line
	skip := skipper{syntax: &syntax{comments: []string{"#", ";"}, long: [][2]string{{`"""`, `"""`}, {`'''`, `'''`}}, quotes: dots}}
	number, hasSection := 0, false
	for line := range strings.Lines(text) {
		number++
		isCode := !skip.isInside()
		skip.line(line)
		code := head(line)
		if !isCode || code == "" {
			continue
		}
		key, _, isKey := strings.Cut(code, "=")
		isSection := line[0] == '[' && strings.Contains(code, "]") && !isKey
		switch {
		case isSection:
			hasSection = true
		case isKey && !hasSection && isWord(line[0]):
			code = strings.TrimSpace(key)
		default:
			continue
		}
		if len(lines) == maxLines {
			break
		}
		lines = append(lines, Line{number, 0, ellipsis.Runes(code, maxText)})
	}
	return lines
}

// findKeys returns the keys of the object in a JSON text, and those of the objects in it.
func findKeys(text string) []Line {
	var lines []Line
	number, objects, arrays := 1, 0, 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\n':
			number++
		case '{':
			objects++
		case '}':
			objects--
		case '[':
			arrays++
		case ']':
			arrays--
		case '/':
			if strings.HasPrefix(text[i:], "//") {
				i += max(0, lineLength(text[i:])-1)
			}
		case '"':
			n := quoted(text[i:])
			key := text[i : i+n]
			i += n - 1
			if arrays != 0 || objects < 1 || objects > 2 || !strings.HasPrefix(strings.TrimLeft(text[i+1:min(len(text), i+20)], " \t"), ":") {
				continue
			}
			if len(lines) == maxLines {
				return lines
			}
			lines = append(lines, Line{number, objects - 1, ellipsis.Runes(unquote(head(key)), maxText)})
		}
	}
	return lines
}

// lineLength returns the length of the first line without its end.
func lineLength(text string) int {
	if i := strings.IndexByte(text, '\n'); i >= 0 {
		return i
	}
	return len(text)
}

// unquote returns the text of a key.
func unquote(key string) string {
	if s, err := strconv.Unquote(key); err == nil && s != "" && !strings.ContainsAny(s, "\r\n") {
		return s
	}
	return key
}
