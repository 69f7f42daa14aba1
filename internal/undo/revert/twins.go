package revert

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pollux/internal/undo/state"
)

// twins are the paths of a plan that differ from another one in case only. Where the file system ignores case, both lead to the
// same file, which has one of the names.
type twins map[string]bool

// twinsOf finds the twins among the paths of steps.
func twinsOf(steps []Step) twins {
	first := make(map[string]string, len(steps))
	found := twins{}
	for _, s := range steps {
		key := strings.ToLower(s.Path)
		if other, ok := first[key]; ok {
			found[other], found[s.Path] = true, true
			continue
		}
		first[key] = s.Path
	}
	return found
}

// read returns the state of a path. A twin is absent if only the other name is there.
func (t twins) read(path string) (state.State, error) {
	now, err := state.Read(path)
	if err != nil || now.Kind == state.Absent {
		return now, err
	}
	for p := path; t[p]; p = filepath.Dir(p) {
		isThere, err := isListed(p)
		if err != nil || !isThere {
			return state.State{}, err
		}
	}
	return now, nil
}

// isListed reports whether the directory of a path has its name, letter by letter.
func isListed(path string) (bool, error) {
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return false, err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	return slices.Contains(names, filepath.Base(path)), err
}
