package openai

import (
	"fmt"
	"slices"
	"sync"
)

// traits is how a model is spoken to: the profile's quirks and what the service
// has taught. A value does not change once it is in use.
type traits struct {
	Quirks
	vendor string
	model  string

	otherProtocol    bool // Protocol is a lesson
	noReasoningItems bool // thoughts of before are not accepted back
	noSummary        bool // the account may not see summaries of thoughts
	openedLearned    bool // Opened is a lesson, which may be wrong

	// Under which keys messages and tools keep what they are encoded to.
	key, toolsKey string
}

// settle makes t ready for use.
func (t *traits) settle() *traits {
	t.key = fmt.Sprintf("openai/%d/%s/%s %t%t%t%t%t%t", t.Protocol, t.vendor, t.ReasoningOut,
		t.NameIDs, t.ShortIDs, t.NoImages, t.NoPDF, t.NoAudio, t.noReasoningItems)
	t.toolsKey = fmt.Sprintf("openai/tools/%d %t", t.Protocol, t.StrictSchema)
	return t
}

// method is where requests go.
func (t *traits) method() string {
	if t.Protocol == Responses {
		return "responses"
	}
	return "chat/completions"
}

// drops reports whether a member of the body is not to be sent.
func (t *traits) drops(name string) bool { return slices.Contains(t.Drop, name) }

// memory holds the traits of the models that were asked for.
type memory struct {
	mu     sync.RWMutex
	models map[string]*traits
}

// maxModels bounds the memory; beyond it lessons are forgotten.
const maxModels = 1000

// of returns what is known of a model.
func (m *memory) of(model string, first func() *traits) *traits {
	m.mu.RLock()
	t := m.models[model]
	m.mu.RUnlock()
	if t != nil {
		return t
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if t = m.models[model]; t == nil {
		if m.models == nil || len(m.models) >= maxModels {
			m.models = make(map[string]*traits)
		}
		t = first().settle()
		m.models[model] = t
	}
	return t
}

// learn changes what is known of a model.
func (m *memory) learn(model string, change func(*traits)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if old := m.models[model]; old != nil {
		t := *old
		t.Quirks = t.clone()
		change(&t)
		m.models[model] = t.settle()
	}
}
