package memory

import (
	"os"
	"path/filepath"

	"pollux/internal/workspace"
)

// Discover returns text to append to the result of a tool that has accessed these paths: the
// memory files in the directories between each path and the top of its project that the model
// has not seen yet; "" if there are none. It ignores paths outside the workspace.
func (m *Memory) Discover(paths ...string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.o.IsTrusted() || len(paths) == 0 {
		return ""
	}
	l := m.loaded()
	before := len(l.files)
	for _, path := range paths {
		l.discover(path)
	}
	text := blocks(l.files[before:])
	if text == "" {
		return ""
	}
	return "\n\n--- Newly Discovered Project Context ---\n" + text + "\n--- End Project Context ---"
}

// discover reads the memory files for a path.
func (l *loaded) discover(path string) {
	dir := l.Workspace.Resolve(path)
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		dir = filepath.Dir(dir)
	}
	deepest := ""
	for _, d := range l.Workspace.Dirs() {
		if workspace.IsWithin(dir, d) && len(d) > len(deepest) {
			deepest = d
		}
	}
	if deepest == "" {
		return
	}
	top, ok := l.tops[deepest]
	if !ok {
		if top = l.top(deepest); l.tops == nil {
			l.tops = map[string]string{}
		}
		l.tops[deepest] = top
	}
	for _, up := range l.upward(dir, top) {
		for _, c := range l.appendIn(nil, up, candidate{tier: Discovered, root: top, home: deepest}) {
			l.add(c)
		}
	}
}
