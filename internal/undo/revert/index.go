package revert

import (
	"crypto/sha1"
	"crypto/sha256"
	"path"
	"strings"

	"pollux/internal/durable"
	"pollux/internal/gitstate/index"
)

// isIndexOf reports whether two versions of a path are indexes of a git repository with the same files.
func isIndexOf(path string, a, b Version) bool {
	return a.State.HasAttributes(b.State) && isSameIndex(path, a.Place, b.Place)
}

// isSameIndex reports whether a path is that of an index of a git repository, and two files, "" for none, are indexes with the same
// files and contents. A look by git, such as git status, changes nothing else in it.
func isSameIndex(of, a, b string) bool {
	of = slashed(of)
	if path.Base(of) != "index" || !strings.Contains(of, "/.git/") || a == "" || b == "" {
		return false
	}
	x, y := readIndex(a), readIndex(b)
	return x != nil && y != nil && x.IsEqual(y)
}

// maxIndex is the size of the largest index that is compared, in bytes.
const maxIndex = 256 << 20

// readIndex returns an index, nil for a file that is none.
func readIndex(path string) *index.Index {
	data, err := durable.ReadFile(path, maxIndex)
	if err != nil {
		return nil
	}
	for _, hash := range []int{sha1.Size, sha256.Size} {
		if x, ok := index.Parse(data, hash); ok {
			return x
		}
	}
	return nil
}
