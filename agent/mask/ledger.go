package mask

import (
	"pollux/agent"
	"pollux/llm"
)

// output is a tool output that a history still contains.
type output struct {
	response *llm.FunctionResponse
	tokens   int
}

// ledger tracks the tool outputs of a history, and which of them are old. It scans only
// messages added since the last call, because messages do not change. It covers all messages
// but the newest.
type ledger struct {
	seen      []agent.Message // the scanned messages, a slice of the agent's own history
	outputs   []output        // of the scanned messages, the oldest first, without masked ones
	firstNew  int             // index in outputs of the first that is not old
	newTokens int             // tokens of outputs that are not old
	oldTokens int             // tokens of old outputs
}

// end returns the index of the first message that is not scanned.
func (l *ledger) end() int { return len(l.seen) }

func (l *ledger) old() []output { return l.outputs[:l.firstNew] }

// update scans the new messages of history. If the history was replaced, it scans all of it.
func (l *ledger) update(history []agent.Message, find func(*llm.Content) []output) {
	n := max(0, len(history)-1)
	if !l.continues(history[:n]) {
		*l = ledger{}
	}
	for _, m := range history[len(l.seen):n] {
		for _, o := range find(m.Content) {
			l.outputs = append(l.outputs, o)
			l.newTokens += o.tokens
		}
	}
	l.seen = history[:n:n]
}

// continues reports whether history begins with the scanned messages. It compares addresses
// first. If the history was copied, it compares the contents.
func (l *ledger) continues(history []agent.Message) bool {
	if len(history) < len(l.seen) {
		return false
	}
	if len(l.seen) == 0 || &history[0] == &l.seen[0] {
		return true
	}
	for i := range l.seen {
		if l.seen[i].Content != history[i].Content {
			return false
		}
	}
	return true
}

// advance makes outputs old until the newer ones have at most as many tokens as are protected.
// It returns the tokens of all old outputs.
func (l *ledger) advance(protected int) int {
	for l.newTokens > protected {
		o := l.outputs[l.firstNew]
		l.firstNew++
		l.newTokens -= o.tokens
		l.oldTokens += o.tokens
	}
	return l.oldTokens
}

// replaceOld continues with a history in which the old outputs are masked, except those that
// failed.
func (l *ledger) replaceOld(history []agent.Message, failed []output) {
	l.outputs = append(failed, l.outputs[l.firstNew:]...)
	l.firstNew, l.oldTokens = len(failed), 0
	l.seen = history[:len(l.seen):len(l.seen)]
}
