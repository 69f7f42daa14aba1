package agent_test

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"pollux/agent"
	"pollux/llm"
)

// book is a journal in memory. It reports invalid changes, such as a rewind to an unknown
// message.
type book struct {
	session  string
	entries  []agent.Entry
	failures []error
}

func (b *book) Begin(_ context.Context, session string, history []agent.Message) error {
	b.session = session
	return b.Replace(context.Background(), history)
}

func (b *book) Append(_ context.Context, e agent.Entry) error {
	if b.find(e.ID) >= 0 || e.ID == "" || e.Time.IsZero() {
		return b.fail("a message with a used id, no id, or no time: " + e.ID)
	}
	var answered, recorded []string
	for _, p := range e.Content.Parts {
		if p.FunctionResponse != nil {
			answered = append(answered, p.FunctionResponse.ID)
		}
	}
	for _, r := range e.Calls {
		recorded = append(recorded, r.ID)
	}
	if !slices.Equal(answered, recorded) {
		_ = b.fail(fmt.Sprintf("responses to %v with records of %v", answered, recorded))
	}
	b.entries = append(b.entries, e)
	return nil
}

func (b *book) Rewind(_ context.Context, id string) error {
	i := b.find(id)
	if i < 0 {
		return b.fail("a rewind to what is not there: " + id)
	}
	b.entries = b.entries[:i]
	return nil
}

func (b *book) Replace(_ context.Context, history []agent.Message) error {
	var entries []agent.Entry
	for _, m := range history {
		e := agent.Entry{Message: m}
		if i := b.find(m.ID); i >= 0 {
			e.Calls = b.entries[i].Calls
		}
		entries = append(entries, e)
	}
	b.entries = entries
	return nil
}

func (b *book) find(id string) int {
	return slices.IndexFunc(b.entries, func(e agent.Entry) bool { return e.ID == id })
}

func (b *book) fail(what string) error {
	b.failures = append(b.failures, errors.New(what))
	return b.failures[len(b.failures)-1]
}

// history returns the history that the journal's entries describe.
func (b *book) history() []agent.Message {
	var messages []agent.Message
	for _, e := range b.entries {
		messages = append(messages, e.Message)
	}
	return messages
}

func (b *book) contents() []*llm.Content {
	var contents []*llm.Content
	for _, e := range b.entries {
		contents = append(contents, e.Content)
	}
	return contents
}
