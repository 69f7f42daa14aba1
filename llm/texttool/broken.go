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
	body := p.held[p.open.at:]
	p.form = rawForm(p.toolName(), text.Name, string(body), p.tools)
	if text.End == 0 {
		return fmt.Sprintf("the value of %.100q has no closing quote; it begins with %s", text.Name, headOf(string(body[text.Start:])))
	}
	value := body[text.Start:text.End]
	if len(value) == 0 {
		return fmt.Sprintf("the value of %.100q is empty, because a second quote follows the one that opens it, and then %s; a quote in a value is written \\\"",
			text.Name, headOf(string(body[text.End+1:])))
	}
	where := ""
	if line := 1 + bytes.Count(value, []byte("\n")) + bytes.Count(value, []byte(`\n`)); line > 1 {
		where = fmt.Sprintf(" in its line %d", line)
	}
	return fmt.Sprintf("the value of %.100q ends%s at the quote behind %s, where %s follows; a quote in a value is written \\\"",
		text.Name, where, tailOf(string(value)), headOf(string(body[text.End+1:])))
}

// correction returns the message about the call that cannot be parsed.
func (p *parser) correction() string {
	index, total := p.countCalls()
	tool := p.toolName()
	if p.isRead {
		tool = p.calls[index-1].Name
	}
	return correction(p.problem, p.form, tool, index, total, p.isCut)
}

// maxCounted is the maximum number of calls that are counted in a message.
const maxCounted = 16

// countCalls returns the number of the call that cannot be parsed, from 1, and that of all
// calls in the message, as far as their beginnings can be distinguished from text.
func (p *parser) countCalls() (index, total int) {
	index = len(p.calls)
	if !p.isRead {
		index++
	}
	total = index
	for p.problem != "" && total < maxCounted {
		rest := string(p.held)
		if !p.isRead {
			rest = rest[min(len(rest), p.open.at+p.broken.End):]
		}
		next := beginOfCall(rest)
		if next == len(rest) {
			break
		}
		p = newParser(p.tools, false)
		p.parse(rest[next:])
		for p.mode == inCall && !p.endCall(false) {
			// Text that was held back for a call may begin another one.
		}
		total += len(p.calls)
		if p.problem != "" && !p.isRead {
			total++
		}
	}
	return index, total
}

// beginOfCall returns where a line begins that looks like the first one of a call, but not at
// the start of text, or the size of text.
func beginOfCall(text string) int {
	for at := 0; ; {
		n := strings.IndexByte(text[at:], '\n')
		if n < 0 {
			return len(text)
		}
		at += n + 1
		line := strings.TrimLeft(text[at:], " \t")
		if n := max(countRun(line, '`'), countRun(line, '~')); n >= 3 {
			_, line, _ = strings.Cut(line, "\n")
			if line = strings.TrimLeft(line, whiteSpace); strings.HasPrefix(line, "{") || strings.HasPrefix(line, "[") {
				return at
			}
		}
		for _, begin := range [...]string{"<function=", "<function_calls>", "<invoke ", "<tool_call", `{"tool_call`, "[TOOL_CALLS]", "<|tool_call", "<｜tool▁call", "<｜DSML｜"} {
			if strings.HasPrefix(line, begin) {
				return at
			}
		}
	}
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

// headOf quotes the beginning of text, in one line, up to the next call or the end of the fence.
func headOf(text string) string {
	text = text[:beginOfCall(text)]
	if n := strings.Index(text, "```"); n > 0 {
		text = text[:n]
	}
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
