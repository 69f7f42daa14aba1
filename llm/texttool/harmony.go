package texttool

import "strings"

// The tokens of gpt-oss around a call:
//
//	<|start|>assistant<|channel|>commentary to=functions.NAME <|constrain|>json<|message|>{ARGUMENTS}<|call|>
//
// The name may also stand before the channel, and an answer may begin at the channel or at the name, because the prompt ends
// with what precedes.
const (
	harmonyStart   = "<|start|>assistant"
	harmonyChannel = "<|channel|>"
	harmonyTo      = "to="
	harmonyMessage = "<|message|>"
	harmonyEnd     = "<|call|>"
	harmonyResult  = "<|start|>functions."
)

// maxHeader is the maximum size of the text before the arguments, in bytes.
const maxHeader = maxName + 128

// matchHarmony matches the header of a message to a tool at index i.
func matchHarmony(s string, i int, o opening) (opening, verdict) {
	size := strings.Index(s[i:min(len(s), i+maxHeader)], harmonyMessage)
	switch {
	case size < 0 && len(s)-i < maxHeader && strings.IndexByte(s[i:], '\n') < 0:
		return o, maybe
	case size < 0, strings.Contains(s[i:i+size], "\n"):
		return o, no
	}
	for word := range strings.FieldsSeq(strings.ReplaceAll(s[i:i+size], "<|", " <|")) {
		if name, ok := strings.CutPrefix(word, harmonyTo); ok {
			o.tool = strings.TrimPrefix(name, "functions.")
		}
	}
	if !isName(o.tool) {
		return o, no
	}
	o.isTrained = true
	return matchArguments(s, i+size+len(harmonyMessage), o)
}

// The words that begin a call only at the beginning of an answer: of gpt-oss, and of Phi.
const (
	toFunctions = harmonyTo + "functions."
	functools   = "functools"
)

// matchFirst matches the word that begins a call at the beginning of an answer.
func matchFirst(s string) (opening, verdict) {
	o := opening{at: 1}
	n, v := matchPrefix(s, []string{toFunctions, functools})
	switch {
	case v != yes:
		return o, v
	case s[0] == toFunctions[0]:
		return matchHarmony(s, 0, o)
	case n == len(s):
		return o, maybe
	case s[n] != '[':
		return o, no
	}
	o.isTrained, o.isLoose = true, true
	return matchObject(s, n, o, true)
}

// nextOpening returns the index of the next place in s where a call may begin, -1 if there is none.
func (p *parser) nextOpening(s string) int {
	if !p.hasBegun {
		first := strings.TrimLeft(s, whiteSpace)
		if _, v := matchPrefix(first, []string{toFunctions, functools}); first != "" && v != no {
			return len(s) - len(first)
		}
	}
	return strings.IndexAny(s, openers)
}
