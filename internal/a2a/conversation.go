package a2a

import "sync"

// Conversations keeps the conversation of each agent for its next call. The zero value is ready to use, by
// several goroutines at once.
type Conversations struct {
	mu sync.Mutex
	of map[string]conversation
}

// conversation has the agent's ids of the context and of its unfinished task.
type conversation struct{ context, task string }

// maxID is the longest ID of a conversation or a task that is used, in bytes.
const maxID = 1 << 10

func (c *Conversations) get(agent string) conversation {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.of[agent]
}

func (c *Conversations) set(agent string, now conversation) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of == nil {
		c.of = map[string]conversation{}
	}
	c.of[agent] = now
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
