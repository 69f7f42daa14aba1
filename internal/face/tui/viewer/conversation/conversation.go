package conversation

import (
	"slices"
	"sort"
	"strings"

	"pollux/agent"
	"pollux/internal/journal"
	"pollux/llm"
)

// Kind is the kind of an item.
type Kind uint8

// Kinds of items.
const (
	Prompt  Kind = iota
	Note         // text of Pollux for the model
	Thought      // of the model
	Answer
	Call
)

// Conversation is the index of a conversation. Callers must not use it concurrently.
type Conversation struct {
	source   Source
	messages []agent.Message
	entries  []entry
	prompts  []int // the items that are prompts
	size     int   // of all items

	calls    map[string][]agent.CallRecord
	hasCalls bool // calls are those of messages
}

// entry says where an item is.
type entry struct {
	kind     Kind
	message  int
	from, to int // parts of the message, or thoughts
	start    int // the size of the items before
}

// New returns the conversation of a source as it is now.
func New(source Source) *Conversation {
	c := &Conversation{source: source}
	c.Refresh()
	return c
}

// Len returns the number of items.
func (c *Conversation) Len() int { return len(c.entries) }

// Size returns the number of bytes of all items, more or less.
func (c *Conversation) Size() int { return c.size }

// Start returns the number of bytes of the items before an item.
func (c *Conversation) Start(item int) int {
	if item >= len(c.entries) {
		return c.size
	}
	return c.entries[item].start
}

// Kind returns the kind of an item.
func (c *Conversation) Kind(item int) Kind { return c.entries[item].kind }

// Prompts returns the items that are prompts, in order. The caller must not change them.
func (c *Conversation) Prompts() []int { return c.prompts }

// Refresh reads messages that the source has got or lost since the last call. It returns the first item that may have
// changed, [Conversation.Len] if none has.
func (c *Conversation) Refresh() (first int) {
	history := c.source.History()
	same := c.common(history)
	if same == len(c.messages) && same == len(history) {
		return len(c.entries)
	}
	from := c.lastResponse(same) // new messages may have results of its calls
	first = sort.Search(len(c.entries), func(i int) bool { return c.entries[i].message >= from })
	c.messages, c.hasCalls, c.calls = history, false, nil
	c.cut(first)
	for i := from; i < len(history); i++ {
		c.add(i)
	}
	return first
}

// common returns the number of messages at the beginning of a history that are known.
func (c *Conversation) common(history []agent.Message) int {
	n := min(len(c.messages), len(history))
	for n > 0 && history[n-1].Content != c.messages[n-1].Content {
		n--
	}
	if n > 0 && history[0].Content != c.messages[0].Content {
		return 0
	}
	return n
}

// lastResponse returns the index of the last message of the model among the first n messages, n if there is none.
func (c *Conversation) lastResponse(n int) int {
	for i := n - 1; i >= 0; i-- {
		if c.messages[i].Content.Role == llm.RoleModel {
			return i
		}
	}
	return n
}

// cut forgets the items from one on.
func (c *Conversation) cut(first int) {
	c.size = c.Start(first)
	c.entries = c.entries[:first]
	n, _ := slices.BinarySearch(c.prompts, first)
	c.prompts = c.prompts[:n]
}

// add adds the items of a message.
func (c *Conversation) add(message int) {
	m := &c.messages[message]
	switch {
	case m.Content.Role == llm.RoleModel:
		c.addResponse(message, m)
	case journal.IsContext(*m):
	case m.IsPrompt:
		c.prompts = append(c.prompts, len(c.entries))
		c.push(Prompt, message, 0, len(m.Content.Parts), partsSize(m.Content.Parts))
	default:
		c.addNotes(message, m)
	}
}

// addResponse adds the items of a message of the model.
func (c *Conversation) addResponse(message int, m *agent.Message) {
	for i, t := range m.Thoughts {
		c.push(Thought, message, i, i+1, len(t.Subject)+len(t.Description))
	}
	parts := m.Content.Parts
	for i := 0; i < len(parts); {
		from := i
		if parts[i].FunctionCall != nil {
			i++
			c.push(Call, message, from, i, len(parts[from].FunctionCall.Args))
			continue
		}
		for i++; i < len(parts) && parts[i].FunctionCall == nil; i++ {
		}
		if shown := parts[from:i]; slices.ContainsFunc(shown, isShown) {
			c.push(Answer, message, from, i, partsSize(shown))
		}
	}
}

// addNotes adds the texts of a message that is not a prompt. Results of calls, and the media behind them, are shown with
// the calls.
func (c *Conversation) addNotes(message int, m *agent.Message) {
	parts := m.Content.Parts
	isResult := false
	for i := range parts {
		switch p := &parts[i]; {
		case p.FunctionResponse != nil:
			isResult = true
			c.size += len(p.FunctionResponse.Response)
		case isResult && p.Text == "":
		case isShown(*p):
			isResult = false
			c.push(Note, message, i, i+1, partsSize(parts[i:i+1]))
		}
	}
}

// push adds an item.
func (c *Conversation) push(kind Kind, message, from, to, size int) {
	c.entries = append(c.entries, entry{kind, message, from, to, c.size})
	const least = 64 // for the line about it
	c.size += size + least
}

// isShown reports whether a part is not a thought and has something to show.
func isShown(p llm.Part) bool {
	return !p.Thought && (p.InlineData != nil || p.FileData != nil || strings.TrimSpace(p.Text) != "")
}

func partsSize(parts []llm.Part) (n int) {
	for i := range parts {
		n += len(parts[i].Text)
	}
	return n
}
