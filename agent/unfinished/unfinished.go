// Package unfinished recognizes responses in which a model announces work without doing it: "I
// will now read the file.", a plan that ends with a colon, or a code block that calls a tool in
// place of a tool call. Weak models write such responses, and a run ends with them.
//
// It prefers to miss one: a response that is taken for unfinished costs a request, and its
// model answers a second time.
package unfinished

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"pollux/agent"
)

// Longer responses, and responses with a longer last line, announce nothing: they are reports, or
// endless repetitions. The patterns take microseconds for a byte.
const (
	maxText = 32 << 10 // bytes
	maxLine = 2 << 10
)

// Check reports whether a response leaves work undone: it announces some, has a call of a tool
// in its text, or is an empty response to tool results.
func Check(e agent.Ending) bool {
	text := strings.TrimSpace(e.Text)
	if text == "" {
		return true
	}
	if len(text) > maxText || len(lastLine(text)) > maxLine {
		return false
	}
	if !e.HasCalled && hasCall(text, e.Tools) {
		return true
	}
	prose, hasBlock, ok := withoutLastBlock(text)
	if !ok {
		return false
	}
	if !e.HasCalled {
		if lead, hasSteps := beforeSteps(prose); hasSteps {
			return strings.HasSuffix(lead, ":") && announces(lead)
		}
	}
	line := lastLine(prose)
	last := clean(strings.TrimSpace(line))
	switch {
	case strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "\t"): // code
		return false
	case last == "" || strings.ContainsRune(">|\"'“”«»„「『", firstRune(last)):
		return false // a heading, a quotation or a table
	case strings.HasSuffix(strings.TrimRight(line, "*_"), ":") || strings.HasSuffix(line, "："):
		return announces(last) || !hasBlock && isSentence(last) && !person().MatchString(last)
	}
	return announces(last)
}

// withoutLastBlock returns text without the code block that ends it. It returns false if text
// ends within a block.
func withoutLastBlock(text string) (prose string, hasBlock, ok bool) {
	lines := strings.Split(text, "\n")
	open := -1
	for i, line := range lines {
		switch isFence := strings.HasPrefix(strings.TrimSpace(line), "```"); {
		case !isFence:
		case open < 0:
			open = i
		case i == len(lines)-1:
			return strings.TrimSpace(strings.Join(lines[:open], "\n")), true, true
		default:
			open = -1
		}
	}
	return text, false, open < 0
}

// beforeSteps returns the line before the list that ends text. It returns false if text does
// not end with a list.
func beforeSteps(text string) (lead string, ok bool) {
	lines := strings.Split(text, "\n")
	for i := len(lines) - 1; i >= 0; i-- {
		line := strings.TrimSpace(lines[i])
		switch {
		case line == "":
		case listMark(line) != line:
			ok = true
		default:
			return clean(line), ok
		}
	}
	return "", false
}

// lastLine returns the last line of text, "" if it is a heading.
func lastLine(text string) string {
	line := strings.TrimRight(text[strings.LastIndexByte(text, '\n')+1:], " \t\r")
	if strings.HasPrefix(line, "#") {
		return ""
	}
	return line
}

// clean returns a line without the mark of a list and without emphasis.
func clean(line string) string {
	return strings.TrimSpace(strings.NewReplacer("**", "", "__", "", "`", "", "*", "", "’", "'").Replace(listMark(line)))
}

// listMark returns a line without the mark of a list.
func listMark(line string) string {
	rest := strings.TrimLeft(line, "0123456789")
	for _, mark := range []string{". ", ") "} {
		if after, ok := strings.CutPrefix(rest, mark); ok && rest != line {
			return after
		}
	}
	for _, mark := range []string{"- ", "* ", "• ", "+ "} {
		if after, ok := strings.CutPrefix(line, mark); ok {
			return after
		}
	}
	return line
}

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

// isSentence reports whether a line has at least three words, or six letters of a script
// without spaces.
func isSentence(line string) bool {
	wide := 0
	for _, r := range line {
		if r >= 0x2E80 && unicode.IsLetter(r) {
			wide++
		}
	}
	return len(strings.Fields(line)) >= 3 || wide >= 6
}

// announces reports whether the last sentence of a line announces a step of the speaker. It
// skips sentences that give a reason.
func announces(line string) bool {
	all := sentences(line)
	for i := len(all) - 1; i >= 0; i-- {
		s := all[i]
		if i > 0 && (purpose().MatchString(s) || strings.IndexFunc(s, unicode.IsLetter) < 0) {
			continue
		}
		if strings.HasSuffix(s, "?") || strings.HasSuffix(s, "？") || strings.Contains(s, ": ") {
			return false
		}
		plain := plainForm(s)
		return slices.ContainsFunc(languages(), func(l language) bool {
			return l.mayAnnounce(plain) && slices.ContainsFunc(clauses(s), l.announcement().MatchString) && !l.exception().MatchString(s)
		})
	}
	return false
}

// plainForm returns a sentence in lower case, with one space between two words.
func plainForm(sentence string) string {
	return strings.Join(strings.Fields(strings.ToLower(sentence)), " ")
}

// clauses returns a sentence, and the rest of it after each main clause, without clauses about
// "we": these describe the program.
func clauses(s string) []string {
	all := []string{s}
	for _, at := range clause().FindAllStringIndex(s, -1) {
		if rest := s[at[1]:]; !strings.Contains(rest, "we ") {
			all = append(all, rest)
		}
	}
	return all
}

// sentences splits a line. A period within a name ends no sentence.
func sentences(line string) []string {
	var all []string
	start, ended := 0, false
	for i, r := range line {
		switch {
		case strings.ContainsRune("。！？", r):
			end := i + utf8.RuneLen(r)
			all = append(all, strings.TrimSpace(line[start:end]))
			start, ended = end, false
			continue
		case ended && r == ' ':
			all = append(all, strings.TrimSpace(line[start:i]))
			start = i
		}
		ended = strings.ContainsRune(".!?…", r)
	}
	if rest := strings.TrimSpace(line[start:]); rest != "" {
		all = append(all, rest)
	}
	return all
}

// The limits of a code block or a line that counts as a call.
const (
	maxCallLines = 12
	maxAfterCall = 200 // bytes of text behind it
)

// hasCall reports whether text ends with a call of a tool: in its only code block, on a line of
// its own, or as a JSON object. A text with several blocks explains something.
func hasCall(text string, tools []string) bool {
	lines, inBlock, block := strings.Split(text, "\n"), false, []string(nil)
	after, blocks := len(text), 0
	found := false
	for _, line := range lines {
		after -= len(line) + 1
		trimmed := strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(trimmed, "```") && inBlock:
			found = isCallBlock(block, tools) && after <= maxAfterCall
			inBlock = false
		case strings.HasPrefix(trimmed, "```"):
			inBlock, block, found = true, nil, false
			if blocks++; blocks > 1 {
				return false
			}
		case inBlock:
			block = append(block, line)
		case after <= maxAfterCall && isCallLine(line, tools, false):
			found = true
		}
	}
	if inBlock { // the block was not closed
		found = isCallBlock(block, tools)
	}
	return found && !example().MatchString(text)
}

// isCallBlock reports whether the lines of a code block call a tool, and define nothing.
func isCallBlock(block, tools []string) bool {
	found := false
	for _, line := range block {
		if definition().MatchString(line) {
			return false
		}
		found = found || isCallLine(line, tools, true)
	}
	return found && len(block) <= maxCallLines || isCallObject(strings.Join(block, "\n"), tools)
}

// isCallLine reports whether a line calls a tool: name(...), or name with arguments as of a
// shell in a code block. Names that are usual words need named arguments.
func isCallLine(line string, tools []string, inBlock bool) bool {
	if !slices.ContainsFunc(tools, func(t string) bool { return strings.Contains(line, t) }) {
		return false // most lines
	}
	if isCallObject(line, tools) {
		return true
	}
	m := call().FindStringSubmatch(line)
	if m == nil || !slices.Contains(tools, m[1]) {
		return false
	}
	name, rest := m[1], m[2]
	isWord := !strings.Contains(name, "_")
	switch {
	case strings.HasPrefix(rest, "("):
		return (inBlock || strings.HasSuffix(strings.TrimSpace(rest), ")")) && (!isWord || named().MatchString(rest))
	case rest == "" || rest[0] == ' ':
		return inBlock && !isWord
	}
	return false
}

// isCallObject reports whether text is a JSON object that names a tool.
func isCallObject(text string, tools []string) bool {
	text = strings.TrimSpace(text)
	if !strings.HasPrefix(text, "{") && !strings.HasPrefix(text, "[{") {
		return false
	}
	for _, m := range object().FindAllStringSubmatch(text, -1) {
		if slices.Contains(tools, m[1]) {
			return true
		}
	}
	return false
}
