package mask

import (
	"pollux/agent"
	"pollux/llm"
)

// output is what a tool said, and still says to the model.
type output struct {
	response *llm.FunctionResponse
	tokens   int
}

// ledger knows which outputs a history has, and which of them are old. It is
// kept from call to call: messages do not change, so that only those that join
// the history are looked at. All but its newest message are in it.
type ledger struct {
	known   []agent.Message // what has been looked at, as a part of the agent's own history
	outputs []output        // of them, from oldest to newest, without those that are done with
	first   int             // of outputs that is not old
	protect int             // tokens of outputs from there on
	behind  int             // tokens of older ones
}

// end is where in the history what was not looked at begins.
func (l *ledger) end() int { return len(l.known) }

// old are the outputs that may go.
func (l *ledger) old() []output { return l.outputs[:l.first] }

// follow takes note of what has joined the history, or begins anew where that
// was replaced.
func (l *ledger) follow(history []agent.Message, find func(*llm.Content) []output) {
	n := max(0, len(history)-1)
	if !l.continues(history[:n]) {
		*l = ledger{}
	}
	for _, m := range history[len(l.known):n] {
		for _, o := range find(m.Content) {
			l.outputs = append(l.outputs, o)
			l.protect += o.tokens
		}
	}
	l.known = history[:n:n]
}

// continues reports whether history begins with what is known. That is so if it
// is the same piece of memory; and if not, because it has grown out of it or was
// copied, the messages tell.
func (l *ledger) continues(history []agent.Message) bool {
	if len(history) < len(l.known) {
		return false
	}
	if len(l.known) == 0 || &history[0] == &l.known[0] {
		return true
	}
	for i := range l.known {
		if l.known[i].Content != history[i].Content {
			return false
		}
	}
	return true
}

// advance lets outputs grow old of which, with all newer ones, there are more
// tokens than are protected. It returns how many tokens the old ones are.
func (l *ledger) advance(protected int) int {
	for l.protect > protected {
		o := l.outputs[l.first]
		l.first++
		l.protect -= o.tokens
		l.behind += o.tokens
	}
	return l.behind
}

// settle goes on from a history in which the old outputs are masked, but those
// that failed.
func (l *ledger) settle(history []agent.Message, failed []output) {
	l.outputs = append(failed, l.outputs[l.first:]...)
	l.first, l.behind = len(failed), 0
	l.known = history[:len(l.known):len(l.known)]
}
