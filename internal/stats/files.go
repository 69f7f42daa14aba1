package stats

import (
	"slices"
	"strings"

	"pollux/tool"
)

// maxFiles is the number of files that [Counter.ChangedFiles] names.
const maxFiles = 200

// files are the files that calls have changed, each with its change from before the first of them to after the last.
type files struct {
	list []tool.FileChange // Change is "" for a file that is as before
	at   map[string]int    // by path
	more int               // changes of files that are not in the list
}

func (f *files) add(c *tool.Changes) {
	if c == nil {
		return
	}
	f.more += max(c.Total()-len(c.Files), 0)
	for _, n := range c.Files {
		i, found := f.at[n.Path]
		switch {
		case found:
			old := &f.list[i]
			old.Change = net(old.Change, n.Change)
			old.Added, old.Removed = old.Added+n.Added, old.Removed+n.Removed
		case len(f.list) == maxFiles:
			f.more++
		default:
			if f.at == nil {
				f.at = map[string]int{}
			}
			f.at[n.Path] = len(f.list)
			f.list = append(f.list, n)
		}
	}
}

// net returns the sum of two changes one after the other, "" for none.
func net(a, b tool.Change) tool.Change {
	switch {
	case a == "":
		return b
	case a == tool.FileCreated && b == tool.FileDeleted:
		return ""
	case a == tool.FileCreated, a == tool.FileDeleted && b == tool.FileDeleted:
		return a
	case b == tool.FileDeleted:
		return b
	}
	return tool.FileChanged
}

// ChangedFiles returns the files that calls have changed, sorted by path. more counts changes of files that are left out because
// there are too many.
func (s *Counter) ChangedFiles() (list []tool.FileChange, more int) {
	s.mu.Lock()
	list, more = slices.Clone(s.files.list), s.files.more
	s.mu.Unlock()
	list = slices.DeleteFunc(list, func(f tool.FileChange) bool { return f.Change == "" })
	slices.SortFunc(list, func(a, b tool.FileChange) int { return strings.Compare(a.Path, b.Path) })
	return list, more
}
