package anthropic

import (
	"bytes"
	"regexp"
	"strings"
	"unicode/utf8"

	"pollux/llm"
	"pollux/llm/httpwire"
)

// The service accepts only [a-zA-Z0-9_-] in the names of tools and the ids of calls.
// Other names are replaced by valid ones, always in the same way, so that results
// still match their calls and declaredName finds the tool of a call.
const (
	maxName = 64 // newer versions of the service accept 128
	maxID   = 64
)

// toolName returns the name under which a tool is sent.
func toolName(name string) string { return httpwire.CleanName(name, maxName) }

// callID returns the id under which a call is sent, without the prefix with the
// tool's name, which Pollux adds.
func callID(id, name string) string {
	if len(id) > len(name)+2 && id[len(name):len(name)+2] == "__" && strings.HasPrefix(id, name) {
		id = id[len(name)+2:]
	}
	if id == "" {
		id = name
	}
	return httpwire.CleanName(id, maxID)
}

// declaredName returns the name with which the caller declared the tool of a call.
func declaredName(sets []*llm.ToolSet, name string) string {
	renamed := name
	for _, set := range sets {
		for i := range set.Functions {
			switch declared := set.Functions[i].Name; {
			case declared == name:
				return name
			case toolName(declared) == name:
				renamed = declared
			}
		}
	}
	return renamed
}

// nameTool adds the name of the tool to a refusal of the service, which has its number only, as in "tools.3.custom.input_schema: JSON
// schema is invalid".
func (q *query) nameTool(refusal *llm.Error) {
	if refusal == nil || q.wantsJSON {
		return
	}
	number := regexp.MustCompile(`\btools\.(\d{1,4})\.`).FindStringSubmatch(refusal.Message)
	if number == nil {
		return
	}
	var names []string
	for _, set := range q.Config.OfferedTools() {
		for i := range set.Functions {
			names = append(names, set.Functions[i].Name)
		}
		if set.GoogleSearch {
			names = append(names, "web_search")
		}
		if set.URLContext {
			names = append(names, "web_fetch")
		}
	}
	if n := parseNumber(number[1]); n < len(names) && !strings.Contains(refusal.Message, names[n]) {
		refusal.Message = strings.TrimSuffix(refusal.Message, ".") + ". This is about the tool " + names[n]
	}
}

// fixSurrogates replaces unpaired surrogates in the strings of valid JSON. Models
// write them, and the service refuses them.
func fixSurrogates(raw []byte) []byte {
	if utf8.Valid(raw) && !bytes.Contains(raw, []byte(`\u`)) {
		return raw
	}
	var out []byte
	for i := 0; i < len(raw); {
		switch r, n := utf8.DecodeRune(raw[i:]); {
		case r == utf8.RuneError && n == 1:
			out = append(out, "\uFFFD"...)
			i++
		case raw[i] != '\\' || i+1 == len(raw):
			out = append(out, raw[i:i+n]...)
			i += n
		case isSurrogate(raw[i:], "dD", "89abAB") && isSurrogate(raw[i+6:], "dD", "cdefCDEF"):
			out = append(out, raw[i:i+12]...)
			i += 12
		case isSurrogate(raw[i:], "dD", "89abcdefABCDEF"):
			out = append(out, `\ufffd`...)
			i += 6
		default:
			out = append(out, raw[i:i+2]...)
			i += 2
		}
	}
	return out
}

// isSurrogate reports whether s starts with \uXY where X is in first and Y in second.
func isSurrogate(s []byte, first, second string) bool {
	return len(s) >= 6 && s[0] == '\\' && s[1] == 'u' &&
		strings.IndexByte(first, s[2]) >= 0 && strings.IndexByte(second, s[3]) >= 0
}
