package sessions

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"pollux/agent"
	"pollux/internal/journal"
	"pollux/llm"
)

// Prompt is a prompt of a session.
type Prompt struct {
	Number int // from 1, among the prompts of the conversation
	ID     string
	Text   string // as the person wrote it
	Time   time.Time
}

// Prompts returns the prompts of a session, without those that a rewind has removed or a compression
// has summarized.
func Prompts(s *journal.Session) []Prompt {
	var list []Prompt
	for _, e := range s.Entries {
		if e.IsPrompt {
			text := strings.TrimSpace(cmp.Or(e.Shown, llm.PartsText(e.Content.Parts)))
			list = append(list, Prompt{len(list) + 1, e.ID, text, e.Time})
		}
	}
	return list
}

// UnknownPromptError is the error for an identifier that no prompt of a session has.
type UnknownPromptError struct{ Identifier string }

func (e *UnknownPromptError) Error() string {
	return fmt.Sprintf("it has no prompt %q", e.Identifier)
}

// ErrFirst is the error for a rewind that would leave nothing of a session.
var ErrFirst = errors.New("before its first prompt, there is nothing to keep")

// findPrompt returns the prompt with a number or an id, and the index of its message.
func findPrompt(s *journal.Session, identifier string) (Prompt, int, error) {
	prompts := Prompts(s)
	i := slices.IndexFunc(prompts, func(p Prompt) bool { return p.ID == identifier })
	if n, err := strconv.Atoi(identifier); i < 0 && err == nil {
		i = n - 1
	}
	if i < 0 || i >= len(prompts) {
		return Prompt{}, 0, &UnknownPromptError{identifier}
	}
	at := slices.IndexFunc(s.Entries, func(e agent.Entry) bool { return e.ID == prompts[i].ID })
	if at == 0 {
		return Prompt{}, 0, ErrFirst
	}
	return prompts[i], at, nil
}

// Rewind returns a session to the state before a prompt, by its number or id, and returns the prompt.
// The file keeps the messages that the session loses. The error is [ErrFirst], an
// [*UnknownPromptError], or [journal.ErrInUse] if another process has the session open.
func Rewind(i Info, identifier string) (Prompt, error) {
	opened, err := journal.Open(i.Path)
	if err != nil {
		return Prompt{}, err
	}
	defer opened.Close()
	p, _, err := findPrompt(opened.Session, identifier)
	if err != nil {
		return Prompt{}, err
	}
	return p, opened.Rewind(p.ID)
}
