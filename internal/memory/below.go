package memory

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"sync"

	"pollux/internal/workspace"
)

// addBelow reads the memory files in subdirectories of the workspace, breadth first, in at
// most MaxDirs directories. It skips ignored directories.
func (l *loaded) addBelow() {
	if !l.IsTrusted() || l.MaxDirs <= 0 {
		return
	}
	looked := 0
	for _, dir := range l.Workspace.Dirs() {
		top := l.top(dir)
		for queue := []string{dir}; len(queue) > 0; queue = queue[1:] {
			if looked++; looked > l.MaxDirs {
				l.Warn(fmt.Sprintf("Warning: Searched only %d directories for context files. To search more, increase context.discoveryMaxDirs.", l.MaxDirs))
				return
			}
			if queue[0] != dir {
				for _, c := range l.appendIn(nil, queue[0], candidate{tier: Discovered, root: top, home: dir}) {
					l.add(c)
				}
			}
			if l.full {
				return
			}
			more := l.MaxDirs + 2 - looked - len(queue) // one more than allowed, to detect that there are more
			queue = append(queue, l.subdirectories(queue[0], more)...)
		}
	}
}

// subdirectories returns the first n directories in a directory, sorted by name.
func (l *loaded) subdirectories(dir string, n int) []string {
	if n <= 0 {
		return nil
	}
	var mu sync.Mutex
	var names []string
	first := func() {
		slices.Sort(names)
		names = names[:min(n, len(names))]
	}
	err := l.Workspace.Walk(context.Background(), dir, workspace.WalkOptions{
		Filter: l.Workspace.DefaultFilter(),
		Prune: func(_, name string) bool { // collects the name of each directory, and enters none
			mu.Lock()
			defer mu.Unlock()
			if name != ".git" && name != "node_modules" {
				names = append(names, name)
			}
			if len(names) > 2*n+1000 {
				first()
			}
			return true
		},
	}, func(workspace.Entry) error { return nil })
	if err != nil {
		l.Log.Debug("directory not searched for context files", "path", dir, "error", err)
	}
	first()
	for i, name := range names {
		names[i] = filepath.Join(dir, name)
	}
	return names
}
