package acp

import (
	"strconv"
	"sync"

	"pollux/internal/face/acp/schema"
)

// messages gives the messages of a session ids, by which the client knows which chunks belong together. A response of the
// model has one for its text and one for its thoughts. They are the same when the session is loaded again, because they are
// numbered in the order of the record. Notes of Pollux, which are not recorded, have numbers of their own.
type messages struct {
	prefix string

	mu                        sync.Mutex
	prompts, responses, notes int
	isOpen                    bool // the last response can still grow
}

// ofPrompt returns the id of the next prompt.
func (m *messages) ofPrompt() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.prompts++
	return m.prefix + "-prompt-" + strconv.Itoa(m.prompts)
}

// ofResponse returns the id of a part of the response in progress, which begins with it if there is none.
func (m *messages) ofResponse(kind schema.Kind) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.isOpen {
		m.isOpen, m.responses = true, m.responses+1
	}
	id := m.prefix + "-response-" + strconv.Itoa(m.responses)
	if kind == schema.ThoughtChunk {
		id += "-thoughts"
	}
	return id
}

// ofNote returns the id of a note of Pollux; behind the text of a response, its id.
func (m *messages) ofNote(kind schema.Kind) string {
	m.mu.Lock()
	isPart := m.isOpen && kind == schema.AgentChunk
	if !isPart {
		m.notes++
	}
	id := m.prefix + "-note-" + strconv.Itoa(m.notes)
	m.mu.Unlock()
	if isPart {
		return m.ofResponse(kind)
	}
	return id
}

// endResponse makes the next part of a response begin another one.
func (m *messages) endResponse() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.isOpen = false
}

// chunk sends a piece of a message.
func (c *chat) chunk(kind schema.Kind, id string, content any) {
	c.send(schema.Chunk{Kind: kind, MessageID: id, Content: content})
}
