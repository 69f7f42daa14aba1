package fs

import (
	"context"
	"strings"
)

// Corrector is a model that looks again at edits that went wrong. A nil
// Corrector is none (the setting tools.disableLLMCorrection, on by default).
// Its methods may be called from several goroutines at once; after an error
// the call goes on as if there were no Corrector.
type Corrector interface {
	// FixEdit proposes other strings for an edit that could not be made.
	FixEdit(ctx context.Context, f EditFailure) (EditFix, error)
	// Unescape returns the content of a file with escape sequences that were
	// not meant to be there undone, if the model thinks there are any.
	Unescape(ctx context.Context, content string) (string, error)
}

// EditFailure is an edit that could not be made.
type EditFailure struct {
	Instruction string // what the edit is for
	Path        string
	Old, New    string
	Content     string // of the file as it is now
	Problem     string // why the edit could not be made
}

// EditFix is what to do about an [EditFailure].
type EditFix struct {
	Search, Replace string
	// NoChange says that the file already is as it should be.
	NoChange    bool
	Explanation string
}

// unescape undoes the escapes in text that looks as if it had been escaped
// once too often: backslashes before n, t, r, a quote or an end of line.
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
			b.WriteByte('\\') // several are an escaped one
		}
		i = end
	}
	return b.String()
}
