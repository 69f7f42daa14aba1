package mask

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"
)

// The form of a masked output is a contract: files of sessions hold it.
const (
	opening = "<tool_output_masked>\n"
	closing = "\n</tool_output_masked>"
	pointer = "\n\nOutput too large. Full output available at: "
	anyTag  = "tool_output_masked"
)

// masked is what the model sees of an output: this much of it, and where the
// rest is.
func masked(look, path string) string {
	return opening + harmless(look) + pointer + path + closing
}

// harmless takes from a text the tags that would end or begin the form.
func harmless(text string) string {
	return strings.NewReplacer("<"+anyTag, "&lt;"+anyTag, "</"+anyTag, "&lt;/"+anyTag).Replace(text)
}

// isMasked reports whether a response has the form already. A tool that prints
// it must not get away with more than the form takes.
func isMasked(response json.RawMessage) bool {
	const most = 64 << 10
	if len(response) > most || !bytes.Contains(response, []byte(anyTag)) {
		return false
	}
	var members map[string]string
	if json.Unmarshal(response, &members) != nil || len(members) != 1 {
		return false
	}
	text := members["output"]
	return strings.HasPrefix(text, opening) && strings.HasSuffix(text, closing) && strings.Contains(text, pointer)
}

// textOf is what goes to the file: the text of an output or an error, for that is
// what is read there by the line, and JSON of anything else.
func textOf(response json.RawMessage) string {
	var members map[string]json.RawMessage
	if json.Unmarshal(response, &members) != nil {
		return string(response)
	}
	var output, failure string
	if _, ok := members["output"]; ok && json.Unmarshal(members["output"], &output) == nil {
		delete(members, "output")
	}
	if _, ok := members["error"]; ok && json.Unmarshal(members["error"], &failure) == nil {
		delete(members, "error")
		failure = "Error: " + failure
	}
	if len(members) > 0 {
		var b bytes.Buffer
		if json.Indent(&b, response, "", "  ") != nil {
			return string(response)
		}
		return b.String()
	}
	if output != "" && failure != "" {
		return output + "\n" + failure
	}
	return output + failure
}

const (
	ends      = 250 // characters of each end of an output that stay
	endLines  = 10  // or lines, of a command's
	lineChars = 250 // of each of them
)

// preview is what stays of an output.
func preview(text string) string {
	if p, ok := commandPreview(text); ok {
		return p
	}
	head, rest := cutRunes(text, ends)
	tail, middle := cutLastRunes(rest, ends)
	if middle == "" {
		return text
	}
	return head + "\n... [TRUNCATED] ...\n" + tail
}

// commandPreview shortens the output of a shell command and keeps the lines that
// say what came of it (spec/tools.md §3.9), and also one that says where the
// whole output is, if it was long.
func commandPreview(text string) (string, bool) {
	note := ""
	if strings.HasPrefix(text, "Output too large. Showing first ") {
		line, rest, _ := strings.Cut(text, "\n")
		note, text = clip(line, 4*lineChars)+"\n", rest
	}
	const frame, endOfFrame = "<untrusted_context>\n", "\n</untrusted_context>"
	begin, end := "Output: ", ""
	if inside, ok := strings.CutPrefix(text, frame); ok {
		if inside, ok = strings.CutSuffix(inside, endOfFrame); ok {
			begin, end, text = frame+begin, endOfFrame, inside
		}
	}
	output, ok := strings.CutPrefix(text, "Output: ")
	if !ok {
		return "", false
	}
	output, outcome := splitOutcome(output)
	return note + begin + someLines(output) + outcome + end, true
}

// splitOutcome parts the lines behind a command's output from it.
func splitOutcome(text string) (output, outcome string) {
	at := len(text)
	for range 6 { // there are no more kinds
		i := strings.LastIndexByte(text[:at], '\n')
		if i < 0 || !isOutcome(text[i+1:at]) {
			break
		}
		at = i
	}
	return text[:at], text[at:]
}

func isOutcome(line string) bool {
	if len(line) > 4*lineChars {
		return false
	}
	for _, label := range []string{"Error: ", "Exit Code: ", "Signal: ", "Background PIDs: ", "Process Group PGID: "} {
		if strings.HasPrefix(line, label) {
			return true
		}
	}
	return false
}

// someLines are the first and the last lines of a text.
func someLines(text string) string {
	var b strings.Builder
	for range endLines {
		line, rest, more := strings.Cut(text, "\n")
		b.WriteString(clip(line, lineChars))
		if !more {
			return b.String()
		}
		b.WriteByte('\n')
		text = rest
	}
	at := len(text)
	for range endLines {
		if at = strings.LastIndexByte(text[:at], '\n'); at < 0 {
			break
		}
	}
	if at >= 0 {
		omitted := strings.Count(text[:at], "\n") + 1
		b.WriteString("... [" + strconv.Itoa(omitted) + " lines omitted] ...\n")
		text = text[at+1:]
	}
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(clip(line, lineChars))
	}
	return b.String()
}

// clip shortens a line that is too long to be one.
func clip(line string, n int) string {
	head, rest := cutRunes(line, n)
	if rest == "" {
		return line
	}
	return head + "... [TRUNCATED]"
}

// cutRunes cuts a text behind its first n characters.
func cutRunes(text string, n int) (head, rest string) {
	for i := range text {
		if n == 0 {
			return text[:i], text[i:]
		}
		n--
	}
	return text, ""
}

// cutLastRunes cuts a text before its last n characters.
func cutLastRunes(text string, n int) (tail, rest string) {
	at := len(text)
	for ; n > 0 && at > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(text[:at])
		at -= size
	}
	return text[at:], text[:at]
}
