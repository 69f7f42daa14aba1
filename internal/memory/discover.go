package memory

import (
	"os"
	"path/filepath"
	"slices"
	"time"

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
	return "\n\n" + discoveredTitle + "\n" + text + "\n--- End Project Context ---"
}

// Wrote notes that the model has written these files: it knows their content, so [Memory.Discover]
// does not return them.
func (m *Memory) Wrote(paths ...string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	names := m.o.Names.All()
	for _, path := range paths {
		path = m.o.Workspace.Resolve(path)
		info, err := os.Stat(path)
		if err != nil || !slices.Contains(names, filepath.Base(path)) {
			continue
		}
		l := m.loaded()
		l.tried[path] = true
		l.seen = append(l.seen, seenFile{path: path, info: info, file: -1})
	}
}

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
		if !l.mayHaveNew(up) {
			continue
		}
		for _, c := range l.appendIn(nil, up, candidate{tier: Discovered, root: top, home: deepest}) {
			l.add(c)
		}
	}
}

// mayHaveNew reports whether a directory may have a memory file that was not there when mayHaveNew was last
// called. A change of the directory shows in its time, so one look replaces one for each name.
func (l *loaded) mayHaveNew(dir string) bool {
	const settled = 2 * time.Second // a later change has another time on every file system
	info, err := os.Stat(dir)
	if err != nil {
		return false
	}
	changed := info.ModTime()
	if last, ok := l.looked[dir]; ok && last.Equal(changed) {
		return false
	}
	isEmpty := func(name string) bool { // which can get content without a change of the directory
		info, err := os.Lstat(filepath.Join(dir, name))
		return err == nil && info.Size() == 0
	}
	if time.Since(changed) > settled && !slices.ContainsFunc(l.Names.All(), isEmpty) {
		if l.looked == nil {
			l.looked = map[string]time.Time{}
		}
		l.looked[dir] = changed
	}
	return true
}
