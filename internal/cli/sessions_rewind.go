package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"pollux/internal/exit"
	"pollux/internal/journal"
	"pollux/internal/sessions"
	"pollux/internal/terminal"
)

// promptJSON is a prompt in JSON output.
type promptJSON struct {
	Session string    `json:"session,omitempty"` // of a rewind
	Number  int       `json:"number"`
	ID      string    `json:"id"`
	Time    time.Time `json:"timestamp"`
	Text    string    `json:"text"`
}

func newPromptJSON(session string, p sessions.Prompt) promptJSON {
	return promptJSON{session, p.Number, p.ID, p.Time.UTC(), p.Text}
}

// rewind lists the prompts of a session. With a prompt, it returns the session to the state before it,
// and prints the prompt.
func (c *sessionActions) rewind(ctx context.Context, words []string) error {
	found, err := c.find(ctx, words[0])
	if err != nil {
		return err
	}
	if len(words) == 1 {
		return c.listPrompts(found.Info)
	}
	p, err := sessions.Rewind(found.Info, words[1])
	if err != nil {
		text := fmt.Sprintf("Cannot rewind session %s: %s.", terminal.Line(found.ID), terminal.Line(err.Error()))
		var unknown *sessions.UnknownPromptError
		switch {
		case errors.As(err, &unknown):
			text += " To list its prompts, run: pollux sessions rewind " + words[0]
		case errors.Is(err, journal.ErrInUse):
			text += " To rewind it there, use /rewind. To copy it, run: pollux sessions fork " + words[0] + " --at " + words[1]
		}
		return exit.Errorf(exit.General, "%s", terminal.Line(text))
	}
	if c.json {
		return printJSON(c.term, newPromptJSON(found.ID, p))
	}
	fmt.Fprintf(c.term.Err, "Rewound session %s to the state before prompt %d, which was:\n", terminal.Line(found.ID), p.Number)
	return printText(c.term, p.Text)
}

func (c *sessionActions) listPrompts(info sessions.Info) error {
	s, err := journal.Load(info.Path)
	if err != nil {
		return exit.Errorf(exit.General, "Cannot read %s: %w.", info.Path, err)
	}
	list, rows := []promptJSON{}, [][]string{}
	for _, p := range sessions.Prompts(s) {
		list = append(list, newPromptJSON("", p))
		rows = append(rows, []string{strconv.Itoa(p.Number), p.Time.Local().Format("2006-01-02 15:04"), terminal.Cut(terminal.Line(p.Text), 200)})
	}
	switch {
	case c.json:
		return printJSON(c.term, list)
	case len(list) == 0:
		return printText(c.term, "This session has no prompts to rewind to.")
	}
	return printTable(c.term, []string{"NO.", "TIME", "PROMPT"}, rows)
}
