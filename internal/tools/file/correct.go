package file

import (
	"context"
	"strings"
)

// Corrector is a model that corrects failed edits. nil disables corrections (the default of
// the setting tools.disableLLMCorrection). It must be safe for concurrent use. After an error
// of its methods, the call continues without a correction.
type Corrector interface {
	// FixEdit proposes other strings for an edit that failed.
	FixEdit(ctx context.Context, f EditFailure) (EditFix, error)
	// Unescape returns the content of a file without unintended escape sequences, if the model
	// finds any.
	Unescape(ctx context.Context, content string) (string, error)
}

// EditFailure is an edit that failed.
type EditFailure struct {
	Instruction string // purpose of the edit
	Path        string
	Old, New    string
	Content     string // current content of the file
	Problem     string // reason of the failure
}

// EditFix is the correction of an [EditFailure].
type EditFix struct {
	Search, Replace string
	// NoChange reports whether the file already has the intended content.
	NoChange    bool
	Explanation string
}

// unescape removes one level of escaping from text that seems to be escaped once too often:
// backslashes before n, t, r, a quote or a line end.
func unescape(text string) string {
	if strings.IndexByte(text, '\\') < 0 {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		if text[i] != '\\' {
			n := strings.IndexByte(text[i:], '\\')
			if n < 0 {
				n = len(text) - i
			}
			b.WriteString(text[i : i+n])
			i += n
			continue
		}
		end := i
		for end < len(text) && text[end] == '\\' {
			end++
		}
		next := byte(0)
		if end < len(text) {
			next = text[end]
		}
		switch next {
		case 'n':
			b.WriteByte('\n')
			end++
		case 't':
			b.WriteByte('\t')
			end++
		case 'r':
			b.WriteByte('\r')
			end++
		case '\'', '"', '`', '\n':
			b.WriteByte(next)
			end++
		default:
			b.WriteByte('\\') // several are one escaped backslash
		}
		i = end
	}
	return b.String()
}
