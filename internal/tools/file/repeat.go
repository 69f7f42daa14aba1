package file

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"pollux/tool"
)

const (
	// minRepeated is the number of bytes from which on a repeated text is not returned again.
	minRepeated = 1000
	// minRepeatedPart is the number of lines from which on a part of an earlier result is not
	// returned again: a model cannot find a few lines in a text without line numbers.
	minRepeatedPart = 60
	// maxEarlier limits how many earlier results of a file are compared with it.
	maxEarlier = 5
)

// The text that stands for a repeated one begins and ends with these.
const (
	unchangedStart = "Unchanged: "
	insist         = " If you do not see them there, repeat this call."
)

// repeated returns the result that replaces a text that the model has already: that the file is
// unchanged, and which result shows it. It returns "" if the model does not have the text, if the
// latest result with some of the lines shows them differently, or if it asks again after such a
// result.
func (c *readFileCall) repeated(ctx context.Context, host tool.Host, got *content) string {
	if host.Earlier == nil || !got.isText() || got.isPastEnd() || len(got.text) < minRepeated {
		return ""
	}
	c.encoding = got.encodingLine()
	note := fmt.Sprintf("%slines %d-%d of %d of %s are as ", unchangedStart, got.first, got.last, got.total, c.w.Rel(c.abs))
	compared := 0
	for raw, textOf := range host.Earlier() {
		args, isSame := c.sameFile(raw)
		if !isSame || args.flag("outline") {
			continue
		}
		text, ok := textOf()
		switch {
		case !ok:
			continue
		case strings.HasPrefix(text, note):
			return "" // the model insists
		case strings.HasPrefix(text, unchangedStart):
			continue
		}
		e := c.parseEarlier(text, got.total)
		if e.last < got.first || e.first > got.last {
			continue
		}
		switch covers := e.first <= got.first && e.last >= got.last; {
		case !c.isCurrent(ctx, e, got):
			return ""
		case !covers: // a result before it may
		case e.first == got.first && e.last == got.last:
			return note + fmt.Sprintf("the result of read_file with %s shows them.%s", describeRange(args), insist)
		case got.last-got.first+1 < minRepeatedPart:
			return ""
		default:
			return note + fmt.Sprintf("the result of read_file with %s shows them; %s there.%s", describeRange(args), landmark(got), insist)
		}
		if compared++; compared == maxEarlier {
			break
		}
	}
	return ""
}

// landmark describes the first line with text: "line 3 is ...".
func landmark(got *content) string {
	number := got.first
	for line := range strings.SplitSeq(got.text, "\n") {
		if !blank(line) {
			return fmt.Sprintf("line %d is %q", number, tool.First(line, 100))
		}
		number++
	}
	return "all of them are blank"
}

// describeRange returns the arguments of a call as its author knows them.
func describeRange(args arguments) string {
	text := fmt.Sprintf("file_path %q", args.str("file_path"))
	first, last := args.lines()
	if first > 0 {
		text += fmt.Sprintf(", start_line %d", first)
	}
	if last > 0 {
		text += fmt.Sprintf(", end_line %d", last)
	}
	return text
}

// sameFile returns the arguments of a call, and whether it read the same file. A call that named the file
// differently, by a link or with JSON escapes, counts as one of another file, so that the paths of all
// earlier calls need not be resolved.
func (c *readFileCall) sameFile(raw json.RawMessage) (args arguments, isSame bool) {
	if !bytes.Contains(raw, []byte(filepath.Base(c.path))) {
		return nil, false
	}
	args, err := parseArguments(raw)
	return args, err == nil && c.w.Resolve(args.str("file_path")) == c.abs
}

// earlierText is the text of an earlier result.
type earlierText struct {
	first, last, total int // lines that it has
	text               string
}

// parseEarlier parses an earlier result. One without a header has the whole file, of total lines.
func (c *readFileCall) parseEarlier(text string, total int) earlierText {
	e := earlierText{text: strings.TrimPrefix(text, c.taken)}
	e.text = strings.TrimPrefix(e.text, c.encoding)
	if n, _ := fmt.Sscanf(e.text, "Lines %d-%d of %d", &e.first, &e.last, &e.total); n == 3 {
		_, e.text, _ = strings.Cut(e.text, "\n")
		if at := strings.LastIndex(e.text, belowStart); at >= 0 && e.last < e.total {
			e.text = e.text[:at]
		}
		return e
	}
	e.first, e.last, e.total = 1, total, total
	return e
}

// isCurrent reports whether every line of an earlier result is in the file now, of which got has
// some lines.
func (c *readFileCall) isCurrent(ctx context.Context, e earlierText, got *content) bool {
	if e.total != got.total {
		return false
	}
	now := got
	if e.first != got.first || e.last != got.last {
		var err error
		if now, err = read(ctx, c.w, c.abs, e.first, e.last); err != nil || !now.isText() {
			return false
		}
	}
	return strings.TrimSuffix(now.text, "\n") == strings.TrimSuffix(e.text, "\n")
}
