package texttool

import "strings"

// callTokens are the special tokens with which a family of models writes calls:
//
//	begin NAME middle {ARGUMENTS} end
type callTokens struct{ begin, middle string }

var (
	// In the calls of DeepSeek R1 and V3 "function" stands in the place of the name, which follows with
	// the arguments in a fence.
	deepSeekTokens = callTokens{"<｜tool▁call▁begin｜>", "<｜tool▁sep｜>"}
	// The name of Kimi has a prefix and a number: functions.NAME:0.
	kimiTokens = callTokens{"<|tool_call_begin|>", "<|tool_call_argument_begin|>"}
)

// The beginnings of a section of calls.
const (
	deepSeekSection = "<｜tool▁calls▁begin｜>"
	kimiSection     = "<|tool_calls_section_begin|>"
	dsmlSection     = "<｜DSML｜function_calls>" // DeepSeek V3.2
	newDSMLSection  = "<｜DSML｜tool_calls>"
)

// sections begin calls anywhere in a line: models do not write these tokens in text of their own.
var sections = [...]string{deepSeekSection, kimiSection, dsmlSection, newDSMLSection, harmonyStart}

// closerOf returns the tag or token that ends the one that is given.
func closerOf(tag string) string {
	if strings.HasPrefix(tag, "<｜tool") || strings.HasPrefix(tag, "<|tool") {
		return strings.Replace(tag, "begin", "end", 1)
	}
	return "</" + tag[1:]
}

// match matches the text behind t.begin, which ends at index i, up to the arguments.
func (t callTokens) match(s string, i int, o opening) (opening, verdict) {
	end := strings.Index(s[i:], t.middle)
	switch {
	case end < 0 && len(s)-i < maxName+len(t.middle):
		return o, maybe
	case end < 0:
		return o, no
	}
	name := strings.TrimSpace(s[i : i+end])
	i += end + len(t.middle)
	o.closers = append(o.closers, closerOf(t.begin))
	if t == deepSeekTokens && name == "function" {
		return matchFenced(s, i, o)
	}
	if t == kimiTokens {
		name, _, _ = strings.Cut(strings.TrimPrefix(name, "functions."), ":")
	}
	if !isName(name) {
		return o, no
	}
	o.tool = name
	return matchArguments(s, i, o)
}

// matchFenced matches the name of a tool at index i, and the fence around the arguments.
func matchFenced(s string, i int, o opening) (opening, verdict) {
	const begin = "```json"
	end := strings.IndexAny(s[i:], whiteSpace)
	if v := o.nameTool(s[i:], end); v != yes {
		return o, v
	}
	i += end
	n, v := matchSpace(s[i:])
	if v != yes {
		return o, v
	}
	i += n
	if n, v = matchPrefix(s[i:], []string{begin}); v != yes {
		return o, v
	}
	o.closers = append(o.closers, "```")
	return matchArguments(s, i+n, o)
}

// matchArguments matches the object with the arguments of o.tool behind white space.
func matchArguments(s string, i int, o opening) (opening, verdict) {
	n, v := matchSpace(s[i:])
	if v != yes {
		return o, v
	}
	if s[i+n] != '{' {
		return o, no
	}
	return matchObject(s, i+n, o, true)
}
