package texttool

import "strings"

// matchInfo matches the rest of the first line of a fence, up to an object on the
// same line.
func matchInfo(s string) (int, verdict) {
	for i := range min(len(s), maxInfo) {
		switch c := s[i]; {
		case c == '\n':
			return i + 1, yes
		case c == '{' || c == '[':
			return i, yes
		case c < ' ' && c != '\r' && c != '\t' || c == '`' || c == '~':
			return 0, no
		}
	}
	if len(s) >= maxInfo {
		return 0, no
	}
	return 0, maybe
}

// matchSpace matches white space that something else follows.
func matchSpace(s string) (int, verdict) {
	n := 0
	for n < len(s) && n <= maxGap && strings.IndexByte(whiteSpace, s[n]) >= 0 {
		n++
	}
	switch {
	case n > maxGap:
		return 0, no
	case n == len(s):
		return 0, maybe
	}
	return n, yes
}

// countRun counts the bytes c at the start of s, up to maxFence + 1.
func countRun(s string, c byte) int {
	n := 0
	for n < len(s) && n <= maxFence && s[n] == c {
		n++
	}
	return n
}

// matchPrefix matches one of words and returns its length.
func matchPrefix(s string, words []string) (int, verdict) {
	found := no
	for _, w := range words {
		if strings.HasPrefix(s, w) {
			return len(w), yes
		}
		if strings.HasPrefix(w, s) {
			found = maybe
		}
	}
	return 0, found
}

// matchClosing matches the end of a fence.
func matchClosing(s, fence string) (int, verdict) {
	if fence[0] == '<' {
		return matchPrefix(s, []string{fence})
	}
	switch n := countRun(s, fence[0]); {
	case n < len(fence) && n < len(s):
		return 0, no
	case n == len(s) && n <= maxFence:
		return 0, maybe
	default:
		return n, yes
	}
}

// endMarks end the answers of models. Servers that do not understand calls may pass them
// on, too.
var endMarks = [...]string{"<|eom_id|>", "<|eot_id|>", "<|im_end|>", "<|end|>", "</s>", "<|end_of_text|>", "<|/tool_call|>", "<｜end▁of▁sentence｜>", harmonyEnd, pythonEnd, "<|eom|>", "<|eot|>"}

// matchEnd matches the ends of a call that do not end an element around it: the end of an
// element whose beginning the model has left out, as Qwen3-Coder does, and the end of the
// answer.
func matchEnd(s string) (int, verdict) {
	n, v := matchPrefix(s, callClosers)
	if v == yes {
		return n, v
	}
	if end, isEnd := matchPrefix(s, endMarks[:]); isEnd != no {
		return end, isEnd
	}
	return n, v
}

// inventedMarks begin the results of calls in the forms of other tools.
var inventedMarks = [...]string{"<tool_response>", "<function_results>", "[TOOL_RESULTS]", "<｜tool▁outputs▁begin｜>", harmonyResult}

// matchInventedResult reports whether s, the text after a call, starts with the
// result of a call. The model has then continued without waiting for the result.
func matchInventedResult(s string, isTool func(string) bool) verdict {
	if _, v := matchPrefix(s, inventedMarks[:]); v != no {
		return v
	}
	n, v := matchPrefix(s, []string{resultOf, errorFrom})
	if v != yes {
		return v
	}
	name, _, ok := strings.Cut(s[n:], ":")
	switch {
	case ok && isTool(name):
		return yes
	case ok || len(name) > maxName || strings.ContainsAny(name, whiteSpace):
		return no
	}
	return maybe
}
