package a2a

import "sync"

// Conversations keeps the conversation of each agent for its next call. The zero value is ready to use, by
// several goroutines at once.
type Conversations struct {
	of sync.Map // of conversation, by [Agent.key]
}

// conversation has the agent's ids of the context and of its unfinished task.
type conversation struct{ context, task string }

// maxID is the longest ID of a conversation or a task that is used, in bytes.
const maxID = 1 << 10

func (c *Conversations) get(agent string) conversation {
	now, _ := c.of.Load(agent)
	last, _ := now.(conversation)
	return last
}

// follow returns the conversation after an event.
func (c conversation) follow(e *event) conversation {
	task := e.TaskID
	switch e.Kind {
	case taskEvent:
		task = e.ID
	case messageEvent, statusEvent, artifactEvent:
	default:
		return c
	}
	if e.ContextID != "" && len(e.ContextID) <= maxID {
		c.context = e.ContextID
	}
	if task != "" && len(task) <= maxID {
		c.task = task
	}
	if e.isTerminal() {
		c.task = ""
	}
	return c
}
