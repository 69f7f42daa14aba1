package sessions

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"pollux/internal/journal"
)

// Latest is the identifier of the session that began last.
const Latest = "latest"

// ErrNone is the error for a project without sessions.
var ErrNone = errors.New("No previous sessions found for this project.")

// Find returns the session that an identifier names: [Latest], the id of a session, or its number in
// the list, from 1 on. The error is [ErrNone] if there are no sessions.
func (s *Store) Find(ctx context.Context, identifier string) (Info, error) {
	list, err := s.List(ctx)
	switch {
	case err != nil:
		return Info{}, err
	case len(list) == 0:
		return Info{}, ErrNone
	case identifier == Latest:
		return list[len(list)-1], nil
	}
	for _, info := range list {
		if info.ID == identifier {
			return info, nil
		}
	}
	if n, err := strconv.Atoi(identifier); err == nil && n >= 1 && n <= len(list) {
		return list[n-1], nil
	}
	return Info{}, fmt.Errorf("Invalid session identifier %q.\n  Searched for sessions in %s.\n  Use --list-sessions to see available sessions, then use --resume {number}, --resume {uuid}, or --resume latest.", identifier, s.Dir)
}

// Lookup returns the session with an id.
func (s *Store) Lookup(ctx context.Context, id string) (Info, error) {
	list, err := s.List(ctx)
	if err != nil {
		return Info{}, err
	}
	for _, info := range list {
		if info.ID == id {
			return info, nil
		}
	}
	return Info{}, ErrNone
}

// List returns the sessions that can be resumed, the oldest first.
func (s *Store) List(context.Context) ([]Info, error) {
	paths, err := filepath.Glob(filepath.Join(s.Dir, "session-*.json*"))
	if err != nil {
		return nil, err
	}
	var list []Info
	for _, path := range paths {
		if fi, err := os.Lstat(path); err != nil || !fi.Mode().IsRegular() || !strings.HasSuffix(path, ".json") && !strings.HasSuffix(path, ".jsonl") {
			continue
		}
		loaded, err := journal.Load(path)
		if err != nil || len(loaded.Entries) == 0 || loaded.Kind == journal.Subagent {
			continue
		}
		list = append(list, Info{ID: loaded.SessionID, Path: path, Title: loaded.Summary, Start: loaded.Start, Updated: loaded.Updated})
	}
	slices.SortStableFunc(list, func(a, b Info) int { return cmp.Or(a.Start.Compare(b.Start), cmp.Compare(a.ID, b.ID)) })
	return list, nil
}
