// Package conversation divides a conversation into items for a reader: prompts, thoughts, answers, and calls with their
// results.
//
// A [Conversation] keeps a short entry for each item. [Conversation.Item] finds the texts of one item when they are
// needed, so that a long conversation is open at once.
package conversation

import "pollux/agent"

// Source has the messages of a conversation, which may grow.
type Source interface {
	// History returns the messages so far. Contents of messages do not change; a message with another content is another
	// message.
	History() []agent.Message
	// Calls returns the records of finished calls by the ids of the messages with their results. A call without a record
	// is shown as the model got its result.
	Calls() map[string][]agent.CallRecord
}

// Live returns the conversation of a session: its functions History and Record.Calls.
func Live(history func() []agent.Message, calls func() map[string][]agent.CallRecord) Source {
	return live{history, calls}
}

type live struct {
	history func() []agent.Message
	calls   func() map[string][]agent.CallRecord
}

func (l live) History() []agent.Message { return l.history() }

func (l live) Calls() map[string][]agent.CallRecord { return l.calls() }
