package conversation

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pollux/agent"
	"pollux/internal/exit"
	"pollux/internal/manage"
	"pollux/internal/person"
	"pollux/internal/terminal"
	"pollux/tool"
)

// rewindRequest has the arguments of /rewind. The user is asked for those that are "".
type rewindRequest struct {
	prompt string // its number or ID
	files  string // keepFiles, withFiles or onlyFiles
	copies bool   // goes on in a copy of the session
}

// rewindSyntax is the syntax of the arguments of /rewind.
const rewindSyntax = "[prompt] [--files=keep|revert|only] [--copy]"

// The values of --files.
const (
	keepFiles = "keep"   // files stay as they are
	withFiles = "revert" // files go back with the conversation
	onlyFiles = "only"   // files go back, and the conversation stays as it is
)

// parseRewind parses the arguments of /rewind.
func parseRewind(text string) (r rewindRequest, err error) {
	for _, word := range strings.Fields(text) {
		files, isFiles := strings.CutPrefix(word, "--files=")
		switch {
		case isFiles && files != keepFiles && files != withFiles && files != onlyFiles:
			return r, exit.Errorf(exit.Input, "--files must be keep, revert or only.")
		case isFiles:
			r.files = files
		case word == "--copy":
			r.copies = true
		case strings.HasPrefix(word, "-") || r.prompt != "":
			return r, manage.Usage("/rewind " + rewindSyntax)
		default:
			r.prompt = word
		}
	}
	if r.copies && r.files == onlyFiles {
		return r, exit.Errorf(exit.Input, "--files=only leaves the conversation as it is. Remove --copy.")
	}
	return r, nil
}

// isComplete reports whether nothing is left to ask.
func (r rewindRequest) isComplete() bool { return r.prompt != "" && r.files != "" }

// choosePrompt returns the prompt of the request, or asks for one of the last prompts. It returns nil if the user chooses
// none.
func (r rewindRequest) choosePrompt(ctx context.Context, c *manage.Call) (*agent.Message, error) {
	prompts := c.Live.Prompts()
	if r.prompt == "" {
		return askPrompt(ctx, c, prompts)
	}
	at := slices.IndexFunc(prompts, func(m agent.Message) bool { return m.ID == r.prompt })
	if n, err := strconv.Atoi(r.prompt); at < 0 && err == nil {
		at = n - 1
	}
	if at < 0 || at >= len(prompts) {
		return nil, exit.Errorf(exit.Input, "There is no prompt %q. This conversation has prompts from 1 to %d.", terminal.Cut(terminal.Line(r.prompt), 60), len(prompts))
	}
	return &prompts[at], nil
}

// askPrompt asks for one of the last prompts. It returns nil if the user chooses none.
func askPrompt(ctx context.Context, c *manage.Call, prompts []agent.Message) (*agent.Message, error) {
	const most = 20
	shown := slices.Clone(prompts[max(0, len(prompts)-most):])
	slices.Reverse(shown)
	q := person.Choice{Header: "Rewind", Text: "Return to the state before which prompt?"}
	for _, m := range shown {
		o := tool.Option{Label: promptText(m)}
		if !m.Time.IsZero() { // as in a conversation that was loaded
			o.Description = m.Time.Local().Format("15:04:05")
		}
		q.Options = append(q.Options, o)
	}
	at, err := pick(ctx, c, q, 60, func(i int) string { return fmt.Sprintf(" (prompt %d)", len(prompts)-i) })
	if err != nil || at < 0 {
		return nil, err
	}
	return &shown[at], nil
}

// chooseWay returns the treatment of the conversation after the prompt, or asks for it. It returns "" to leave the
// conversation as it is. A conversation that is not recorded has no copies.
func (r rewindRequest) chooseWay(ctx context.Context, c *manage.Call, hasFiles bool) (string, error) {
	isRecorded := c.Live.Record.IsRecorded()
	switch {
	case r.copies && !isRecorded:
		return "", exit.Errorf(exit.Input, "This conversation is not recorded: it has no copies.")
	case r.copies:
		return editInCopy, nil
	case r.files == onlyFiles:
		return justRevert, nil
	case r.files != "" || !isRecorded:
		return justRewind, nil
	}
	options := []tool.Option{
		{Label: editInCopy, Description: "A new session begins before it. This session stays as it is."},
		{Label: justRewind, Description: "This session forgets them."},
	}
	if hasFiles {
		options = append(options, tool.Option{Label: justRevert, Description: "The conversation stays as it is."})
	}
	return c.Choose(ctx, person.Choice{Header: "Rewind", Text: "What happens to this prompt, and to all after it?", Options: options})
}
