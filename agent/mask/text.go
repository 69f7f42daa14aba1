package mask

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"pollux/agent/shorten"

	"github.com/go-faster/jx"
)

// The format of a masked output is stable, because session files contain it.
const (
	opening = "<tool_output_masked>\n"
	closing = "\n</tool_output_masked>"
	pointer = "\n\nOutput too large. Full output available at: "
	tagName = "tool_output_masked"
)

// maskedText returns the masked form of an output: a preview, and the path of the file with
// the whole text.
func maskedText(preview, path string) string {
	return opening + escapeTags(preview) + pointer + path + closing
}

// escapeTags escapes tags in text that would start or end the masked form.
func escapeTags(text string) string {
	return strings.NewReplacer("<"+tagName, "&lt;"+tagName, "</"+tagName, "&lt;/"+tagName).Replace(text)
}

// isMasked reports whether a response has the masked form. A longer response does not count,
// because a tool could print the form to stay in the history.
func isMasked(response json.RawMessage) bool {
	const maxSize = 64 << 10
	if len(response) > maxSize || !bytes.Contains(response, []byte(tagName)) {
		return false
	}
	d := jx.GetDecoder()
	defer jx.PutDecoder(d)
	d.ResetBytes(response)
	text, members := "", 0
	err := d.ObjBytes(func(d *jx.Decoder, key []byte) (err error) {
		members++
		if string(key) != "output" || members > 1 {
			return d.Skip()
		}
		text, err = d.Str() // an error for another value
		return err
	})
	return err == nil && members == 1 && strings.HasPrefix(text, opening) && strings.HasSuffix(text, closing) && strings.Contains(text, pointer)
}

// fileText returns the text to save: the text of an output or an error, which the model can
// read by lines, or else indented JSON.
func fileText(response json.RawMessage) string {
	text, isError := shorten.Split(response)
	if isError {
		text = "Error: " + text
	}
	return text
}

const (
	endChars  = 250 // characters to keep of each end of an output
	endLines  = 10  // lines to keep of each end of a command's output
	lineChars = 250 // characters to keep of each line
)

// preview returns the part of an output to keep.
func preview(text string) string {
	if p, ok := commandPreview(text); ok {
		return p
	}
	head, rest := cutRunes(text, endChars)
	tail, middle := cutLastRunes(rest, endChars)
	if middle == "" {
		return text
	}
	return head + "\n... [TRUNCATED] ...\n" + tail
}

// commandPreview shortens the output of a shell command. It keeps the lines that report the
// outcome, such as the exit code, and the note with the path of the complete output, if there
// is one. It returns false for other outputs.
func commandPreview(text string) (string, bool) {
	note := ""
	if strings.HasPrefix(text, "Output too large. Showing first ") {
		line, rest, _ := strings.Cut(text, "\n")
		note, text = clip(line, 4*lineChars)+"\n", rest
	}
	const frame, endOfFrame = "<untrusted_context>\n", "\n</untrusted_context>"
	begin, end := "Output: ", ""
	if inside, ok := strings.CutPrefix(text, frame); ok {
		if at := strings.Index(inside, endOfFrame); at >= 0 { // the output has none; hints, notes and reports stand behind it
			begin, end, text = frame+begin, clip(inside[at:], 20*lineChars), inside[:at]
		}
	}
	output, ok := strings.CutPrefix(text, "Output: ")
	if !ok {
		if output, ok = strings.CutPrefix(text, "Output:\n"); !ok { // the first line is indented
			return "", false
		}
		begin = strings.TrimSuffix(begin, " ") + "\n"
	}
	output, outcome := splitOutcome(output)
	return note + begin + firstAndLastLines(output) + outcome + end, true
}

// outcomes are the beginnings of the lines behind the output of a command.
var outcomes = []string{
	"Encoding: ", "Error: ", "Exit Code: ", "Exit Codes in the pipe: ", "Signal: ", "Background PIDs: ", "Process Group PGID: ",
}

// splitOutcome splits the output of a command from the lines after it that report the outcome.
func splitOutcome(text string) (output, outcome string) {
	at := len(text)
	for range 6 { // more than there are in one result
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
	return slices.ContainsFunc(outcomes, func(label string) bool { return strings.HasPrefix(line, label) })
}

func firstAndLastLines(text string) string {
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

// clip shortens line to n characters and a note.
func clip(line string, n int) string {
	head, rest := cutRunes(line, n)
	if rest == "" {
		return line
	}
	return head + "... [TRUNCATED]"
}

// cutRunes splits text after its first n characters.
func cutRunes(text string, n int) (head, rest string) {
	for i := range text {
		if n == 0 {
			return text[:i], text[i:]
		}
		n--
	}
	return text, ""
}

// cutLastRunes splits text before its last n characters.
func cutLastRunes(text string, n int) (tail, rest string) {
	at := len(text)
	for ; n > 0 && at > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(text[:at])
		at -= size
	}
	return text[at:], text[:at]
}
