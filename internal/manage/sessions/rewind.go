package sessions

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"pollux/internal/exit"
	"pollux/internal/journal"
	"pollux/internal/manage"
	"pollux/internal/outcome"
	"pollux/internal/sessions"
	"pollux/internal/terminal"
)

// Prompt is a row of the list of prompts.
type Prompt struct {
	Session string    `json:"session,omitempty"` // of a rewind
	Number  int       `json:"number"`
	ID      string    `json:"id"`
	Time    time.Time `json:"timestamp"`
	Text    string    `json:"text"`
}

func newPrompt(session string, p sessions.Prompt) Prompt {
	return Prompt{session, p.Number, p.ID, p.Time.UTC(), p.Text}
}

// rewind lists the prompts of a session. With a prompt, it returns the session to the state before it,
// and prints the prompt.
func rewind(_ context.Context, c *manage.Call, found located) (o outcome.Outcome, err error) {
	words := c.Words
	if len(words) == 1 {
		return listPrompts(found.Info)
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
		return o, exit.Errorf(exit.General, "%s", terminal.Line(text))
	}
	if !c.Is("json") {
		c.Whole(fmt.Sprintf("Rewound session %s to the state before prompt %d, which was:", terminal.Line(found.ID), p.Number))
	}
	return outcome.New(outcome.Text(p.Text)).WithValue(newPrompt(found.ID, p)), nil
}

// listPrompts lists the prompts of a session.
func listPrompts(info sessions.Info) (outcome.Outcome, error) {
	s, err := journal.Load(info.Path)
	if err != nil {
		return outcome.Outcome{}, exit.Errorf(exit.General, "Cannot read %s: %w.", info.Path, err)
	}
	list := []Prompt{}
	for _, p := range sessions.Prompts(s) {
		list = append(list, newPrompt("", p))
	}
	if len(list) == 0 {
		return outcome.Textf("This session has no prompts to rewind to.").WithValue(list), nil
	}
	return outcome.New(outcome.NewTable([]string{"NO.", "TIME", "PROMPT"}, list, func(p Prompt) []string {
		return []string{strconv.Itoa(p.Number), p.Time.Local().Format("2006-01-02 15:04"), terminal.Cut(terminal.Line(p.Text), 200)}
	})).WithValue(list), nil
}
