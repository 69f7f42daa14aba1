package assembly

import (
	"pollux/agent"
	"pollux/agent/compress"
	"pollux/internal/tools/todo"
	"pollux/llm"
)

// The names of the facts that follow the summary of a conversation.
const (
	todoFact    = "todo_list"
	runningFact = "background_commands"
)

// facts returns the facts that do not depend on a summary when removed goes out of a conversation and kept stays: the newest todo list, if
// kept does not have it, and the commands that run.
func (b *Builder) facts(removed, kept []agent.Message) []compress.Fact {
	var list []compress.Fact
	if _, isKept := todo.Newest(contents(kept)); !isKept {
		text, found := todo.Newest(contents(removed))
		if !found {
			text = compress.Earlier(removed, todoFact)
		}
		list = append(list, compress.Fact{Name: todoFact, Text: text})
	}
	if b.Running != nil {
		list = append(list, compress.Fact{Name: runningFact, Text: b.Running()})
	}
	return list
}

func contents(messages []agent.Message) []*llm.Content {
	list := make([]*llm.Content, len(messages))
	for i, m := range messages {
		list[i] = m.Content
	}
	return list
}
