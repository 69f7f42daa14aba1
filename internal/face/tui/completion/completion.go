// Package completion suggests how to go on with the text in the composer: files behind @, commands behind /, and the
// words of a shell command.
//
// An [Engine] asks its sources in the background and returns a [Result], which a [List] shows. Its subpackages have the
// sources.
package completion

import (
	"context"

	"pollux/internal/face/tui/buffer"
)

// Request is the text to complete.
type Request struct {
	Text    string // as shown; see buffer.Buffer.Shown
	Cursor  int    // in bytes
	IsShell bool   // the text is a shell command
}

// Suggestion is text to put in the place of the range of its [Result].
type Suggestion struct {
	Label  string // the text of the row; any characters
	Detail string // shown faint behind the label, "" for none
	Suffix string // the kind, shown in brackets behind the label, such as "MCP"; "" for none
	Group  string // the title above the suggestions of a group, "" for none
	Insert string
	// Runs means that the text is complete with the suggestion: Enter sends it.
	Runs    bool
	MatchAt []int // the bytes of the label that the user has typed, in order
}

// Result has the suggestions for a request.
type Result struct {
	Request     Request
	Range       buffer.Range
	Suggestions []Suggestion // the best first; empty if there are none
	// IsComplete means that the text is a whole command already: Enter sends it, unless the user selects a suggestion.
	IsComplete bool
	Note       string // why suggestions may be missing, "" for no reason
}

// Source makes suggestions of one kind.
type Source interface {
	// Complete returns the suggestions for a request, and false if another source is responsible for it. It returns
	// soon after ctx ends, with any result.
	Complete(ctx context.Context, r Request) (Result, bool)
}
