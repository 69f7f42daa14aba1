package memory

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"pollux/agent"
	"pollux/llm"
)

// discoveredTitle begins the text that [Memory.Discover] returns.
const discoveredTitle = "--- Newly Discovered Project Context ---"

// Keep forgets the files of subdirectories that a conversation with this history no longer has, because it was compressed
// or rewound. [Memory.Discover] returns them again.
func (m *Memory) Keep(history []agent.Message) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.current == nil || m.o.Eager || !slices.ContainsFunc(m.current.files, func(f File) bool { return f.Tier == Discovered }) {
		return
	}
	texts := discoveredTexts(history)
	for i := len(m.current.files) - 1; i >= 0; i-- {
		f := &m.current.files[i]
		text := block(f)
		if f.Tier == Discovered && !slices.ContainsFunc(texts, func(t string) bool { return strings.Contains(t, text) }) {
			m.current.forget(i)
		}
	}
}

// forget forgets the file of this index, as if it had not been found.
func (l *loaded) forget(index int) {
	f := &l.files[index]
	l.room += f.Size
	delete(l.tried, f.Path)
	for _, path := range f.Same {
		delete(l.tried, path)
	}
	l.seen = slices.DeleteFunc(l.seen, func(s seenFile) bool { return s.file == index })
	for i := range l.seen {
		if l.seen[i].file > index {
			l.seen[i].file--
		}
	}
	l.files = slices.Delete(l.files, index, index+1)
	clear(l.looked)
}

// discoveredTexts returns the texts of a history that have found memory files in them.
func discoveredTexts(history []agent.Message) []string {
	var texts []string
	add := func(text string) {
		if strings.Contains(text, discoveredTitle) {
			texts = append(texts, text)
		}
	}
	for _, m := range history {
		if m.Content.Role != llm.RoleUser {
			continue
		}
		for i := range m.Content.Parts {
			p := &m.Content.Parts[i]
			add(p.Text)
			if r := p.FunctionResponse; r != nil && bytes.Contains(r.Response, []byte(discoveredTitle)) {
				var result struct{ Output string }
				if json.Unmarshal(r.Response, &result) == nil {
					add(result.Output)
				}
			}
		}
	}
	return texts
}
