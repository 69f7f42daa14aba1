package texttool

import (
	"bytes"
	"fmt"
	"strings"

	"pollux/llm/laxjson"
)

// endsInText reports whether c, which follows the brackets of a call in the same line while
// some brackets are missing, shows that they belong to a text that ended too early.
func (p *parser) endsInText(c byte) bool {
	blanks := p.held[len(bytes.TrimRight(p.held, whiteSpace)):]
	return !bytes.Contains(blanks, []byte("\n")) && (c == '"' || c == '\'' || c == '\\' || isNameByte(c))
}

// textProblem describes a call that cannot be parsed behind text, a string in it, and offers
// the form without escapes. held begins with the call and ends with the answer.
func (p *parser) textProblem(text laxjson.Text) string {
	p.form = rawForm(p.toolName(), text.Name, p.tools)
	body := p.held[p.open.at:]
	if text.End == 0 {
		return fmt.Sprintf("the value of %.100q has no closing quote; it begins with %s", text.Name, headOf(string(body[text.Start:])))
	}
	value := body[text.Start:text.End]
	where := ""
	if line := 1 + bytes.Count(value, []byte("\n")) + bytes.Count(value, []byte(`\n`)); line > 1 {
		where = fmt.Sprintf(" in its line %d", line)
	}
	return fmt.Sprintf("the value of %.100q ends%s at the quote behind %s, where %s follows; a quote in a value is written \\\"",
		text.Name, where, tailOf(string(value)), headOf(string(body[text.End+1:])))
}

// toolName returns the name of the tool in held, "" if there is none.
func (p *parser) toolName() string {
	if p.open.tool != "" {
		return p.open.tool
	}
	for _, key := range [...]string{`"name"`, `"tool"`, `"function"`} {
		_, after, _ := strings.Cut(string(p.held), key)
		after = strings.TrimLeft(after, whiteSpace+":")
		if name, _, ok := strings.Cut(strings.TrimPrefix(after, `"`), `"`); ok && isName(name) {
			return name
		}
	}
	return ""
}

// maxExcerpt is the size of a quoted part of an answer, in bytes.
const maxExcerpt = 40

// excerpt returns the last part of the text before an error.
func excerpt(held []byte) string {
	held = held[max(0, len(held)-60):]
	return strings.ToValidUTF8(strings.Join(strings.Fields(string(held)), " "), "")
}

// headOf quotes the beginning of text, in one line.
func headOf(text string) string {
	text = strings.ToValidUTF8(text[:min(len(text), 2*maxExcerpt)], "")
	line := strings.Join(strings.Fields(text), " ")
	return "`" + strings.ToValidUTF8(line[:min(len(line), maxExcerpt)], "") + "`"
}

// tailOf quotes the end of text, in one line.
func tailOf(text string) string {
	text = strings.ToValidUTF8(text[max(0, len(text)-2*maxExcerpt):], "")
	line := strings.Join(strings.Fields(text), " ")
	return "`" + strings.ToValidUTF8(line[max(0, len(line)-maxExcerpt):], "") + "`"
}
