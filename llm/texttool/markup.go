package texttool

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"pollux/llm"
	"pollux/llm/laxjson"
)

// markup reads the arguments of a call that is written as elements:
//
//	<function=NAME>
//	<parameter=P>
//	VALUE
//	</parameter>
//	</function>
//
// or <invoke name="NAME"> with <parameter name="P">, or in the form of GLM:
//
//	<tool_call>NAME
//	<arg_key>P</arg_key>
//	<arg_value>VALUE</arg_value>
//	</tool_call>
//
// or in that of DeepSeek, whose tags begin with <｜DSML｜.
//
// [rawText] writes the first one. Values are not
// escaped: one ends at a closing tag behind which the call goes on or ends, and which does
// not belong to an opening tag in the value. If there is no such tag, it ends at the first
// one behind which the call goes on or ends.
type markup struct {
	tags   *tags  // of a parameter
	closer string // of the call
	at     int    // everything before is read

	parameter string // whose value is being read, "" if none is
	valueAt   int
	search    int // no closing tag that ends the value begins between valueAt and search
	counted   int // opening tags are counted up to here
	nested    int // opening tags in the value without a closing tag
	firstEnd  int // the first closing tag behind which the call goes on or ends, 0 if none
	arguments []argument
}

type argument struct{ name, value string }

// tags are those of a parameter.
type tags struct {
	begin   []string // beginnings of the opening tag
	name    string   // ends the name
	value   string   // begins the value, "" if nothing is between
	end     string   // ends the value
	isExact bool     // all that is between the tags is the value, see [betweenTags]
}

const (
	closingParameter = "</parameter>"
	functionEnd      = "</function>"
)

var (
	parameterTags = tags{begin: []string{"<parameter=", "<parameter name="}, name: ">", end: closingParameter}
	dsmlTags      = tags{begin: []string{"<｜DSML｜parameter name="}, name: ">", end: "</｜DSML｜parameter>", isExact: true}
	glmTags       = tags{begin: []string{"<arg_key>"}, name: "</arg_key>", value: "<arg_value>", end: "</arg_value>", isExact: true}
)

// callClosers are the tags that can follow the last parameter of a call.
var callClosers = []string{
	"</function>", "</invoke>", "</tool_call>", "</tool_calls>", "</function_call>", "</function_calls>", "</minimax:tool_call>", "</seed:tool_call>",
	"</｜DSML｜invoke>", "</｜DSML｜function_calls>", "</｜DSML｜tool_calls>",
}

// maxTag is the maximum size of a parameter's opening tag.
const maxTag = 256

// read reads held, which begins behind the opening tag of the call and only grows
// between calls. It returns the size of the call when that is complete. isWhole is set if
// nothing follows.
func (m *markup) read(held []byte, isWhole bool) (n int, status laxjson.Status) {
	for {
		if m.parameter != "" {
			if status = m.readValue(held, isWhole); status != laxjson.Done {
				return 0, status
			}
			continue
		}
		m.at += len(held[m.at:]) - len(bytes.TrimLeft(held[m.at:], whiteSpace))
		rest := string(held[m.at:min(len(held), m.at+maxTag)])
		if size, v := matchPrefix(rest, []string{m.closer}); v == yes {
			return m.at + size, laxjson.Done
		}
		if _, v := matchPrefix(rest, callClosers); v == yes {
			return m.at, laxjson.Done
		}
		name, size, v := m.tags.match(rest)
		switch {
		case v == yes:
			m.parameter, m.at = name, m.at+size
			m.valueAt, m.search, m.counted, m.nested, m.firstEnd = m.at, m.at, m.at, 0, 0
		case v == maybe && !isWhole, rest == "" && !isWhole:
			return 0, laxjson.More
		case rest != "":
			if _, v := matchPrefix(rest, append([]string{m.closer}, callClosers...)); v == maybe && !isWhole {
				return 0, laxjson.More
			}
			return 0, laxjson.Broken
		case len(m.arguments) > 0: // only the end of the call is missing
			return m.at, laxjson.Done
		default:
			return 0, laxjson.Broken
		}
	}
}

// readValue reads up to the end of the current value.
func (m *markup) readValue(held []byte, isWhole bool) laxjson.Status {
	for {
		n := bytes.Index(held[m.search:], []byte(m.tags.end))
		if n < 0 {
			break
		}
		m.search += n
		v := m.matchEnd(held[m.search+len(m.tags.end):], isWhole)
		if v == maybe {
			return laxjson.More
		}
		for _, tag := range m.tags.begin {
			m.nested += bytes.Count(held[m.counted:m.search], []byte(tag))
		}
		m.counted = m.search
		switch {
		case v == yes && m.nested == 0:
			m.endValue(held, m.search)
			return laxjson.Done
		case v == yes && m.firstEnd == 0:
			m.firstEnd = m.search
		}
		m.nested = max(0, m.nested-1)
		m.search++
	}
	if !isWhole {
		m.search = max(m.valueAt, len(held)-len(m.tags.end)+1)
		return laxjson.More
	}
	if m.firstEnd > 0 {
		m.endValue(held, m.firstEnd)
		return laxjson.Done
	}
	// The closing tag is missing: the value goes up to that of the call.
	n := bytes.LastIndex(held[m.valueAt:], []byte(m.closer))
	if n < 0 {
		return laxjson.Broken
	}
	m.endValue(held, m.valueAt+n)
	return laxjson.Done
}

// matchEnd reports whether rest, behind the closing tag of a parameter, shows that the
// tag ends the value.
func (m *markup) matchEnd(rest []byte, isWhole bool) verdict {
	s := string(rest[:min(len(rest), maxGap+maxTag)])
	blank := len(s) - len(strings.TrimLeft(s, whiteSpace))
	s = s[blank:]
	switch {
	case blank > maxGap:
		return no
	case s == "" && isWhole:
		return yes
	case s == "":
		return maybe
	}
	_, v := matchPrefix(s, slices.Concat([]string{m.closer}, m.tags.begin, callClosers))
	if v == maybe && isWhole {
		return no
	}
	return v
}

// endValue adds the current parameter with the value up to end, where its closing tag is,
// or that of the call.
func (m *markup) endValue(held []byte, end int) {
	value := string(held[m.valueAt:end])
	m.arguments = append(m.arguments, argument{m.parameter, value})
	m.parameter, m.at = "", end
	if bytes.HasPrefix(held[end:], []byte(m.tags.end)) {
		m.at += len(m.tags.end)
	}
}

// match matches the opening tags of a parameter and returns its name and their size.
func (t *tags) match(s string) (name string, size int, v verdict) {
	n, v := matchPrefix(s, t.begin)
	if v != yes {
		return "", 0, v
	}
	name, rest, ok := strings.Cut(s[n:], t.name)
	switch {
	case !ok && len(s) < maxTag:
		return "", 0, maybe
	case !ok:
		return "", 0, no
	}
	if name = unquote(name); name == "" || strings.ContainsAny(name, "<\n") {
		return "", 0, no
	}
	if t.value != "" {
		trimmed := strings.TrimLeft(rest, whiteSpace)
		if size, v = matchPrefix(trimmed, []string{t.value}); v == maybe && len(s) == maxTag {
			v = no
		}
		rest = trimmed[size:]
	}
	return name, len(s) - len(rest), v
}

// unquote returns the name in an opening tag, without quotes and other attributes.
func unquote(s string) string {
	s = strings.TrimSpace(s)
	if s != "" && (s[0] == '"' || s[0] == '\'') {
		s, _, _ = strings.Cut(s[1:], s[:1])
	}
	return strings.TrimSpace(s)
}

// call returns the call of a tool with the arguments that were read. Its ID is [rawMark].
func (m *markup) call(tool string, tools toolSet) llm.FunctionCall {
	args := []byte{'{'}
	for i, a := range m.arguments {
		last := true
		for _, later := range m.arguments[i+1:] {
			last = last && later.name != a.name
		}
		if !last { // the last value of a name counts
			continue
		}
		if len(args) > 1 {
			args = append(args, ',')
		}
		args = append(llm.AppendString(args, strings.ToValidUTF8(a.name, "\uFFFD")), ':')
		value := a.value
		if !m.tags.isExact {
			value = betweenTags(value, tools.isWholeText(tool, a.name))
		}
		args = append(args, tools.value(tool, a.name, value)...)
	}
	return llm.FunctionCall{ID: rawMark, Name: tool, Args: json.RawMessage(append(args, '}'))}
}

// betweenTags returns the value of a parameter with these bytes between its tags. The line
// break behind the opening tag is not part of the value, and neither is that before the
// closing tag, unless the value is a whole text: that ends with a line break as a rule. Some
// models write that line break and one more, so the second one of an empty line at the end is
// not part of a whole text. [insideTags] is the inverse.
func betweenTags(s string, isWholeText bool) string {
	lineBreak := "\n"
	if strings.HasPrefix(s, "\r\n") {
		lineBreak = "\r\n"
	}
	s = strings.TrimPrefix(s, lineBreak)
	if !isWholeText {
		return strings.TrimSuffix(s, lineBreak)
	}
	if lineBreak = emptyLine(s); lineBreak != "" {
		return strings.TrimSuffix(s, lineBreak)
	}
	return s
}

// insideTags returns the text between the tags of a parameter for a value. Values of several
// lines stand on lines of their own.
func insideTags(value string, isWholeText bool) string {
	switch {
	case !strings.Contains(value, "\n"):
		return value
	case isWholeText:
		return "\n" + value + emptyLine(value)
	}
	return "\n" + value + "\n"
}

// emptyLine returns the last line break of a text that ends with an empty line, else "".
func emptyLine(s string) string {
	for _, lineBreak := range [...]string{"\n", "\r\n"} {
		if strings.HasSuffix(s, lineBreak+lineBreak) {
			return lineBreak
		}
	}
	return ""
}
