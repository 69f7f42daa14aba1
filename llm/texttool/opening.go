package texttool

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// opening is the start of text that may be a call.
type opening struct {
	at      int      // index of the call's body; without an opening, the number of bytes to skip
	start   int      // index of the call itself, behind the fences and elements around it
	form    form     // of the body
	closers []string // ends of the fences and elements around the body, innermost last
	fence   string   // the fence of code, if the call begins with one
	isData  bool     // the fence is one of data or text
	tags    *tags    // of a body of elements
	end     string   // closing tag of such a body

	key        string // first key of an object
	afterColon int    // index after the colon that follows the key

	tool      string // its name, if the body is the arguments
	isTrained bool   // a form that models are trained on: any name is that of a tool
	isLoose   bool   // a key as common as "name" may be that of a call
	isAlone   bool   // nothing precedes on the line
}

// form is the form of the body of a call.
type form int

const (
	jsonForm   form = iota // an object or a list of objects
	markupForm             // elements, see [markup]
	pythonForm             // code, see [readPython]
	otherForm              // anything else in an element
	wideForm               // an object with wide punctuation, see [wideReader]
	listForm               // a list of calls in code, see [readList]
)

// place is where an opening stands.
type place struct {
	isLineStart bool
	isLineHead  bool // only marks of lists precede on the line
}

// verdict is the result of matching incomplete text.
type verdict int

const (
	no    verdict = iota
	maybe         // more of the text is needed
	yes
)

// openers are the characters that can start a call or its fence.
const openers = "`~{[<"

// The limits on the text that is held back before the first key of a call.
const (
	maxFence    = 16
	maxInfo     = 64
	maxGap      = 256
	maxKey      = 64
	maxElements = 3 // around a call
)

var (
	// bareKeys start a call anywhere, looseKeys only in a fence or an element, and at
	// the start of a line.
	bareKeys  = [...]string{"tool_call", "tool_calls", "tool"}
	looseKeys = [...]string{"tool_call", "tool_calls", "tool", "name", "function_call"}

	// elements stand around calls.
	elements = [...]string{
		"<tool_call>", "<tool_calls>", "<function_call>", "<function_calls>", "<minimax:tool_call>", "<seed:tool_call>", "<TOOLCALL>",
		deepSeekSection, kimiSection, dsmlSection, newDSMLSection,
	}

	// namedTags name the tool.
	namedTags = [...]struct {
		begin, closer string
		tags          *tags
	}{
		{functionTag, functionEnd, &parameterTags},
		{"<invoke name=", "</invoke>", &parameterTags},
		{"<｜DSML｜invoke name=", "</｜DSML｜invoke>", &dsmlTags},
	}

	// callFences are the words behind a fence that is around nothing but calls.
	callFences = [...]string{"tool_call", "tool_calls", "tool_code", "function_call"}

	// dataFences are the words behind a fence that may be around a call, or before
	// text that is shown as it is.
	dataFences = [...]string{"", "json", "json5", "jsonc", "tool_call", "tool_calls", "tool_code", "tool", "function_call", "xml", "text", "plaintext"}
)

// The marks before calls of Llama, Granite, Mistral, Qwen and others.
const (
	pythonTag   = "<|python_tag|>"
	toolCallTag = "<|tool_call|>"
	toolCalls   = "[TOOL_CALLS]"
	callID      = "[CALL_ID]"
	callArgs    = "[ARGS]"
	functionTag = "<function="
)

// isDataFence reports whether info, the words behind a fence, are of one that may be
// around a call.
func isDataFence(info string) bool {
	word, _, _ := strings.Cut(strings.TrimSpace(info), " ")
	return slices.Contains(dataFences[:], strings.ToLower(word))
}

// matchOpening matches the start of a call at the start of s, which begins with one
// of openers.
func matchOpening(s string, at place) (opening, verdict) {
	o := opening{at: 1, isLoose: at.isLineStart, isAlone: at.isLineStart}
	switch c := s[0]; c {
	case '`', '~':
		return matchFence(s, o, at.isLineHead)
	case '<', '[', '{':
		return matchBody(s, 0, o, at.isLineStart)
	}
	return o, no
}

// matchFence matches a fence and the start of the call in it. A fence that does not begin its line
// is inline code, unless a line ends behind it.
func matchFence(s string, o opening, isLineHead bool) (opening, verdict) {
	i := countRun(s, s[0])
	o.at = i
	o.closers = []string{s[:i]}
	switch {
	case i > maxFence: // the fence may continue after maxFence
		o.at = 1
		return o, no
	case i == len(s):
		return o, maybe
	case i < 3: // inline code
		return o, no
	}
	n, v := matchInfo(s[i:])
	if v != yes {
		return o, v
	}
	if !isLineHead && s[i+n-1] != '\n' {
		return o, no
	}
	info := strings.TrimSpace(s[i : i+n])
	o.fence, o.isData, o.isLoose = s[:i], isDataFence(info), true
	i += n
	word, _, _ := strings.Cut(info, " ")
	o.isTrained = slices.Contains(callFences[:], word)
	if word == "tool_code" {
		n, v := matchSpace(s[i:])
		if v != yes {
			return o, v
		}
		if c := s[i+n]; c != '{' && c != '[' && c != '<' {
			o.at, o.start, o.form = i+n, i+n, pythonForm
			return o, yes
		}
	}
	return matchBody(s, i, o, o.isData)
}

// matchBody matches the elements and marks around a call and the start of its body. It
// skips white space at index i. If anyKey is set, the first key of an object need not be
// that of a call.
func matchBody(s string, i int, o opening, anyKey bool) (opening, verdict) {
	for depth := 0; ; depth++ {
		n, v := matchSpace(s[i:])
		if v != yes {
			return o, v
		}
		i += n
		o.start = i
		if s[i] != '<' {
			break
		}
		switch n, v = matchPrefix(s[i:], elements[:]); {
		case v == maybe:
			return o, v
		case v == no:
			return matchInElement(i, depth, o, func() (opening, verdict) { return matchTag(s, i, o) })
		case depth == maxElements:
			return o, no
		}
		o.closers = append(o.closers, closerOf(s[i:i+n]))
		o.isTrained, o.isLoose, anyKey = true, true, true
		i += n
	}
	if s[i] == '[' {
		n, v := matchPrefix(s[i:], []string{toolCalls})
		switch v {
		case maybe:
			return o, v
		case yes:
			return matchMistral(s, i+n, o)
		}
	}
	if body, v := matchGLM(s, i, o); v != no {
		return body, v
	}
	return matchInElement(i, len(o.closers), o, func() (opening, verdict) { return matchObject(s, i, o, anyKey) })
}

// matchGLM matches the name of a tool in an element, if GLM's tags of an argument follow.
func matchGLM(s string, i int, o opening) (opening, verdict) {
	const closer = "</tool_call>"
	if len(o.closers) == 0 || o.closers[len(o.closers)-1] != closer || !isNameByte(s[i]) {
		return o, no
	}
	end := strings.IndexFunc(s[i:], func(r rune) bool { return r >= utf8.RuneSelf || !isNameByte(byte(r)) })
	if v := o.nameTool(s[i:], end); v != yes {
		return o, v
	}
	i += end
	n, v := matchSpace(s[i:])
	if v != yes {
		return o, v
	}
	_, v = matchPrefix(s[i+n:], glmTags.begin)
	o.at, o.form, o.tags, o.end = i, markupForm, &glmTags, closer
	return o, v
}

// matchInElement matches a body. If match does not, and the body is in an element that
// begins a line, its form is otherForm.
func matchInElement(i, depth int, o opening, match func() (opening, verdict)) (opening, verdict) {
	body, v := match()
	if v != no || depth == 0 || !o.isAlone || !strings.HasPrefix(o.closers[len(o.closers)-1], "</") {
		return body, v
	}
	o.at, o.form, o.end = i, otherForm, o.closers[len(o.closers)-1]
	return o, yes
}

// matchTag matches a tag or token that names a tool, or that stands before an object.
func matchTag(s string, i int, o opening) (opening, verdict) {
	o.isTrained = true
	n, v := matchPrefix(s[i:], []string{pythonTag, toolCallTag})
	if v == yes {
		o.isLoose = true
		return matchAfterSpace(s, i+n, o)
	}
	for _, t := range [...]callTokens{deepSeekTokens, kimiTokens} {
		n, begins := matchPrefix(s[i:], []string{t.begin})
		if begins == yes {
			return t.match(s, i+n, o)
		}
		v = max(v, begins)
	}
	if _, begins := matchPrefix(s[i:], []string{harmonyStart, harmonyChannel}); begins == yes {
		return matchHarmony(s, i, o)
	} else {
		v = max(v, begins)
	}
	for _, t := range namedTags {
		n, begins := matchPrefix(s[i:], []string{t.begin})
		if begins == yes {
			return matchNamedTag(s, i+n, o, t.closer, t.tags)
		}
		v = max(v, begins)
	}
	return o, v
}

// matchNamedTag matches the rest of a tag, from the name of the tool on, and the beginning of
// the arguments: an object, or elements with these tags.
func matchNamedTag(s string, i int, o opening, closer string, tags *tags) (opening, verdict) {
	end := strings.IndexByte(s[i:], '>')
	switch {
	case end < 0 && len(s)-i <= maxName && strings.IndexByte(s[i:], '\n') < 0:
		return o, maybe
	case end < 0:
		return o, no
	}
	o.tool = unquote(s[i : i+end])
	if !isName(o.tool) {
		return o, no
	}
	i += end + 1
	n, v := matchSpace(s[i:])
	if v != yes {
		return o, v
	}
	if s[i+n] == '{' {
		o.closers = append(o.closers, closer)
		return matchObject(s, i+n, o, true)
	}
	if _, v = matchPrefix(s[i+n:], append([]string{closer}, tags.begin...)); v == yes {
		o.at, o.form, o.tags, o.end = i, markupForm, tags, closer
	}
	return o, v
}

// matchAfterSpace matches an object or list of objects, whatever its first key is.
func matchAfterSpace(s string, i int, o opening) (opening, verdict) {
	n, v := matchSpace(s[i:])
	if v != yes {
		return o, v
	}
	return matchObject(s, i+n, o, true)
}

// matchMistral matches the text after the mark [TOOL_CALLS]: a list of calls, or the name
// of a tool, perhaps [CALL_ID] and an id, perhaps [ARGS], and the arguments.
func matchMistral(s string, i int, o opening) (opening, verdict) {
	o.isTrained, o.isLoose = true, true
	n, v := matchSpace(s[i:])
	if v != yes {
		return o, v
	}
	i += n
	if s[i] == '[' || s[i] == '{' {
		return matchObject(s, i, o, true)
	}
	end := strings.IndexAny(s[i:], "[{"+whiteSpace)
	if v := o.nameTool(s[i:], end); v != yes {
		return o, v
	}
	i += end
	for _, mark := range []string{callID, callArgs} {
		if n, v = matchSpace(s[i:]); v != yes {
			return o, v
		}
		if n, v = matchPrefix(s[i+n:], []string{mark}); v == maybe {
			return o, v
		} else if v == no {
			continue
		}
		i += strings.Index(s[i:], mark) + n
		if mark == callID {
			for i < len(s) && isNameByte(s[i]) {
				i++
			}
		}
	}
	if n, v = matchSpace(s[i:]); v != yes {
		return o, v
	}
	if s[i+n] != '{' {
		return o, no
	}
	return matchObject(s, i+n, o, true)
}

// matchObject matches an object or a list of objects at index i whose first key is
// that of a call, or any one in quotes if anyKey is set.
func matchObject(s string, i int, o opening, anyKey bool) (opening, verdict) {
	at := i
	if s[i] == '[' {
		n, v := matchSpace(s[i+1:])
		if v != yes {
			return o, v
		}
		i += 1 + n
	}
	if s[i] != '{' {
		return o, no
	}
	if o.tool != "" { // arguments, which may be empty
		o.at, o.afterColon = at, at
		return o, yes
	}
	n, v := matchSpace(s[i+1:])
	if v != yes {
		return o, v
	}
	i += 1 + n
	keys := bareKeys[:]
	if o.isLoose {
		keys = looseKeys[:]
	}
	isWide := s[i] >= utf8.RuneSelf
	if o.key, n, v = matchKey(s[i:], keys, anyKey); v != yes {
		return o, v
	}
	i += n
	if n, v = matchSpace(s[i:]); v != yes {
		return o, v
	}
	i += n
	if n, v = matchPrefix(s[i:], []string{":", "："}); v != yes {
		return o, v
	}
	if n > 1 || isWide {
		o.form = wideForm
	}
	// parser.held will start with s, so afterColon counts from the start of s.
	o.at, o.afterColon = at, i+n
	return o, yes
}

// matchKey matches one of keys, with or without quotes, and returns it and its length
// with quotes. If anyKey is set, other keys match in quotes.
func matchKey(s string, keys []string, anyKey bool) (string, int, verdict) {
	if n, v := matchPrefix(s, wideQuotes[:]); v == maybe {
		return "", 0, v
	} else if v == yes {
		return matchWideKey(s, n, keys)
	}
	quote := ""
	if s[0] == '"' || s[0] == '\'' {
		quote = s[:1]
	}
	word := s[len(quote):]
	n := 0
	for n < len(word) && n < maxFence && (word[n] == '_' || 'a' <= word[n] && word[n] <= 'z') {
		n++
	}
	known := n < len(word) && slices.Contains(keys, word[:n])
	if quote != "" && anyKey && !known {
		return matchAnyKey(s)
	}
	if n == len(word) {
		if slices.ContainsFunc(keys, func(k string) bool { return strings.HasPrefix(k, word) }) {
			return "", 0, maybe
		}
		return "", 0, no
	}
	if !known {
		return "", 0, no
	}
	if quote == "" {
		return word[:n], n, yes
	}
	closed, v := matchPrefix(word[n:], []string{quote})
	if v == no && anyKey {
		return matchAnyKey(s)
	}
	return word[:n], len(quote) + n + closed, v
}

// matchAnyKey matches a key in quotes.
func matchAnyKey(s string) (string, int, verdict) {
	end := strings.IndexAny(s[1:], s[:1]+"\\\n")
	switch {
	case end > maxKey, end >= 0 && s[1+end] != s[0], end < 0 && len(s) > maxKey+1:
		return "", 0, no
	case end < 0:
		return "", 0, maybe
	}
	return s[1 : 1+end], end + 2, yes
}

// nameTool takes the first end bytes of s for the name of the tool. end is negative if the end
// has not come yet.
func (o *opening) nameTool(s string, end int) verdict {
	switch {
	case end < 0 && len(s) <= maxName:
		return maybe
	case end < 0 || !isName(s[:end]):
		return no
	}
	o.tool = s[:end]
	return yes
}
