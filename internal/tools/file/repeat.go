package file

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"pollux/tool"
)

const (
	// minRepeated is the number of bytes from which on a repeated text is not returned again.
	minRepeated = 1000
	// maxEarlier limits how many earlier results of a file are compared with it.
	maxEarlier = 5
)

// repeated returns what the model gets in place of a text that it has already: that the file is
// unchanged. It returns "" if the model does not have the text, or if it asks again after it was
// told so.
func (c *readFileCall) repeated(ctx context.Context, host tool.Host, got *content) string {
	if host.Earlier == nil || !got.isText() || got.isPastEnd() || len(got.text) < minRepeated {
		return ""
	}
	note := fmt.Sprintf("Unchanged: lines %d-%d of %d of %s are as an earlier result of read_file in this conversation shows them. If you do not see them there, repeat this call.",
		got.first, got.last, got.total, c.w.Rel(c.abs))
	compared := 0
	for args, text := range host.Earlier() {
		if text == note {
			return "" // the model insists
		}
		if !c.isSameFile(args) {
			continue
		}
		if c.holds(ctx, text, got) {
			return note
		}
		if compared++; compared == maxEarlier {
			break
		}
	}
	return ""
}

// isSameFile reports whether a call with these arguments read the same file.
func (c *readFileCall) isSameFile(raw json.RawMessage) bool {
	args, err := parseArguments(raw)
	return err == nil && c.w.Resolve(args.str("file_path")) == c.abs
}

// holds reports whether an earlier result has the lines of got, and every line of it is in the
// file now.
func (c *readFileCall) holds(ctx context.Context, text string, got *content) bool {
	first, last, total := 1, got.total, got.total
	body := strings.TrimPrefix(text, c.taken)
	text = body
	if n, _ := fmt.Sscanf(text, "Lines %d-%d of %d", &first, &last, &total); n == 3 {
		_, body, _ = strings.Cut(text, "\n")
	} else {
		first, last, total = 1, got.total, got.total
	}
	if first > got.first || last < got.last || total != got.total {
		return false
	}
	now := got
	if first != got.first || last != got.last {
		var err error
		if now, err = read(ctx, c.w, c.abs, first, last); err != nil || !now.isText() || !strings.Contains(now.text, got.text) {
			return false
		}
	}
	return strings.TrimSuffix(now.text, "\n") == strings.TrimSuffix(body, "\n")
}
