package gitstate

import (
	"bufio"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pollux/internal/gitstate/gitdir"
)

// Limits of [Branches].
const (
	mostBranches = 2000
	maxPacked    = 4 << 20 // bytes that are read of the file of packed refs
)

// Branches returns the local branches of the repository that has a directory, in the order of their names, without running git. It returns
// the first ones of very many, and none of a repository with reftables.
func Branches(dir string) (names []string) {
	_, gitDir := find(dir)
	if gitDir == "" {
		return nil
	}
	gitDir = gitdir.Common(gitDir)
	heads := filepath.Join(gitDir, "refs", "heads")
	_ = filepath.WalkDir(heads, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || len(names) == mostBranches:
			return fs.SkipAll // as far as they can be read
		case d.Type().IsRegular() && !strings.HasSuffix(path, ".lock"):
			name, _ := filepath.Rel(heads, path)
			names = append(names, filepath.ToSlash(name))
		}
		return nil
	})
	if packed, err := os.Open(filepath.Join(gitDir, "packed-refs")); err == nil {
		defer packed.Close()
		lines := bufio.NewScanner(io.LimitReader(packed, maxPacked))
		for len(names) < mostBranches && lines.Scan() {
			if _, name, ok := strings.Cut(lines.Text(), " refs/heads/"); ok {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
