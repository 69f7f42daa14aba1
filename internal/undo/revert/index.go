package revert

import (
	"crypto/sha1"
	"crypto/sha256"
	"io"
	"path"
	"strings"

	"pollux/internal/gitstate/index"
	"pollux/internal/undo/content"
)

// isIndexOf reports whether two versions of a path are indexes of a git repository with the same files.
func isIndexOf(path string, a, b Version) bool {
	return a.State.HasAttributes(b.State) && isSameIndex(path, a.Place, b.Place)
}

// isSameIndex reports whether a path is that of an index of a git repository, and two contents are indexes with the same
// files and contents. A look by git, such as git status, changes nothing else in it.
func isSameIndex(of string, a, b content.Place) bool {
	of = slashed(of)
	if path.Base(of) != "index" || !strings.Contains(of, "/.git/") || a.IsNowhere() || b.IsNowhere() {
		return false
	}
	x, y := readIndex(a), readIndex(b)
	return x != nil && y != nil && x.IsEqual(y)
}

// maxIndex is the size of the largest index that is compared, in bytes.
const maxIndex = 256 << 20

// readIndex returns an index, nil for a file that is none.
func readIndex(at content.Place) *index.Index {
	f, err := at.Open()
	if err != nil {
		return nil
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxIndex))
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
