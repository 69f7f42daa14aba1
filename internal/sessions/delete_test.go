package sessions

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pollux/internal/journal"
)

// touch creates files with their directories, below a directory.
func touch(t *testing.T, dir string, names ...string) {
	t.Helper()
	for _, name := range names {
		path := filepath.Join(dir, name)
		must(t, os.MkdirAll(filepath.Dir(path), 0o700))
		must(t, os.WriteFile(path, []byte("x"), 0o600))
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func find(t *testing.T, s *Store, id string) Info {
	t.Helper()
	i, err := s.Find(t.Context(), id)
	must(t, err)
	return i
}

func TestDelete(t *testing.T) {
	t.Parallel()
	s := project(t)
	root := filepath.Dir(s.Dir)
	put(t, s, "nightly-1", "one", 1)
	put(t, s, "nightly-1", "the same one", 3)
	put(t, s, "nightly-12", "two", 2)
	ours := []string{"chats/nightly-1/agent.jsonl", "logs/session-nightly-1.jsonl", "tool-outputs/session-nightly-1/a.txt", "nightly-1/plans/p.md", "nightly-1/tasks/t"}
	others := []string{"chats/nightly-12/agent.jsonl", "logs/session-nightly-12.jsonl", "tool-outputs/session-nightly-12/a.txt", "nightly-12/plans/p.md", "logs.json"}
	touch(t, root, append(ours, others...)...)
	outside := t.TempDir()
	touch(t, outside, "kept/file")
	must(t, os.Symlink(filepath.Join(outside, "kept"), filepath.Join(root, "nightly-1", "tracker")))
	must(t, s.Delete(t.Context(), find(t, s, "nightly-1")))
	for _, name := range ours {
		if exists(filepath.Join(root, name)) {
			t.Errorf("%s is left", name)
		}
	}
	if exists(filepath.Join(root, "nightly-1")) || !exists(filepath.Join(outside, "kept", "file")) {
		t.Error("the link was followed or is left")
	}
	for _, name := range others {
		if !exists(filepath.Join(root, name)) {
			t.Errorf("%s is gone", name)
		}
	}
	infos, err := s.List(t.Context())
	must(t, err)
	if diff := cmp.Diff([]string{"nightly-12: two"}, titles(infos)); diff != "" {
		t.Error(diff)
	}
}

// An id is never a path.
func TestDeleteHostileID(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"../../victim", "..", ".", "../chats", "a/b", `a\b`, "/etc", "", "C:x", "memory", "CHATS", "logs", ".project_root", "checkpoints"} {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			s := project(t)
			root := filepath.Dir(s.Dir)
			touch(t, root, "memory/plans/p", "memory/MEMORY.md", "chats/plans/x", "logs/plans/y", "checkpoints/c", ".project_root", "../victim/plans/z", "a/b/plans/z")
			path := filepath.Join(s.Dir, "session-x.jsonl")
			must(t, os.WriteFile(path, []byte("x"), 0o600))
			must(t, s.Delete(t.Context(), Info{ID: id, Path: path}))
			if exists(path) {
				t.Error("the file is left")
			}
			for _, name := range []string{"memory/plans/p", "memory/MEMORY.md", "chats/plans/x", "logs/plans/y", "checkpoints/c", ".project_root", "../victim/plans/z", "a/b/plans/z"} {
				if !exists(filepath.Join(root, name)) {
					t.Errorf("%s is gone", name)
				}
			}
		})
	}
}

func TestDeleteInUse(t *testing.T) {
	t.Parallel()
	s := project(t)
	path := put(t, s, "busy", "one", 1)
	root := filepath.Dir(s.Dir)
	touch(t, root, "busy/plans/p")
	open, err := journal.Open(path)
	must(t, err)
	i := find(t, s, "busy")
	if err := s.Delete(t.Context(), i); !errors.Is(err, journal.ErrInUse) {
		t.Errorf("%v", err)
	}
	if !exists(path) || !exists(filepath.Join(root, "busy/plans/p")) {
		t.Error("it is gone")
	}
	open.Close()
	must(t, s.Delete(t.Context(), i))
	must(t, s.Delete(t.Context(), i)) // again
}

// A link in place of a file or directory is removed, not its target.
func TestDeleteLinks(t *testing.T) {
	t.Parallel()
	s := project(t)
	root, outside := filepath.Dir(s.Dir), t.TempDir()
	touch(t, outside, "session-x.jsonl", "session-l/file", "l/plans/p")
	path := filepath.Join(s.Dir, "session-x.jsonl")
	must(t, os.Symlink(filepath.Join(outside, "session-x.jsonl"), path))
	for _, name := range []string{"tool-outputs", "logs"} {
		must(t, os.Symlink(outside, filepath.Join(root, name)))
	}
	must(t, os.Symlink(filepath.Join(outside, "l"), filepath.Join(root, "l")))
	must(t, s.Delete(t.Context(), Info{ID: "l", Path: path}))
	for _, name := range []string{"session-x.jsonl", "session-l/file", "l/plans/p"} {
		if !exists(filepath.Join(outside, name)) {
			t.Errorf("%s is gone", name)
		}
	}
	if exists(path) {
		t.Error("the link is left")
	}
}

func plan(t *testing.T, s *Store, r Retention, now time.Time, current string) map[string]string {
	t.Helper()
	removals, err := s.Plan(t.Context(), r, now, current)
	must(t, err)
	got := map[string]string{}
	for _, r := range removals {
		name := r.ID
		if name == "" {
			name = filepath.Base(r.Path)
		}
		got[name] = r.Reason
	}
	return got
}

func TestPlan(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	s := project(t)
	now := start.Add(40 * day)
	put(t, s, "current", "one", 1)
	put(t, s, "old", "one", 2)
	put(t, s, "recent", "one", 39*24*60)
	put(t, s, "today", "one", 40*24*60-30)
	put(t, s, "empty", "", 39*24*60-1)
	put(t, s, "starting", "", 39*24*60+1)
	put(t, s, "future", "one", 1e6)
	for name, age := range map[string]time.Duration{"session-bad.jsonl": 31 * day, "session-new-bad.jsonl": day, "notes.txt": 400 * day} {
		path := filepath.Join(s.Dir, name)
		must(t, os.WriteFile(path, []byte("nonsense"), 0o600))
		must(t, os.Chtimes(path, now.Add(-age), now.Add(-age)))
	}
	rest := map[string]string{"empty": "no conversation"}
	with := func(more map[string]string) map[string]string {
		for id, reason := range rest {
			more[id] = reason
		}
		return more
	}
	tests := []struct {
		name string
		r    Retention
		want map[string]string
	}{
		{"age", Retention{MaxAge: 30 * day, MinAge: day}, with(map[string]string{"old": "not used for more than 30 days", "session-bad.jsonl": "not a session"})},
		{"count", Retention{MaxCount: 3, MinAge: day}, with(map[string]string{"old": "more than 3 sessions"})}, // without the one from the future
		{"count and minimum", Retention{MaxCount: 1, MinAge: day}, with(map[string]string{"old": "more than 1 sessions", "recent": "more than 1 sessions"})},
		{"large count", Retention{MaxCount: 100, MinAge: day}, with(map[string]string{})},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, plan(t, s, tt.r, now, "current")); diff != "" {
			t.Errorf("%s: -want +got\n%s", tt.name, diff)
		}
	}
}

// Reasons have the unit of the setting.
func TestAgeText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"12h": "12 hours", "1h": "1 hour", "24h": "1 day", "36h": "36 hours", "2w": "14 days", "1m": "30 days"} {
		age, err := parseAge(text)
		if got := ageText(age); err != nil || got != want {
			t.Errorf("%s: %q, %v, want %q", text, got, err, want)
		}
	}
}

// A clock that is wrong for a while deletes nothing that it should not.
func TestPlanClockJumps(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	const inMinutes = 24 * 60
	r := Retention{MaxAge: 30 * day, MinAge: day}
	s := project(t)
	put(t, s, "old", "one", 0)
	put(t, s, "before", "one", 40*inMinutes)
	put(t, s, "yesterday", "one", 41*inMinutes)
	now := start.Add(42 * day)
	ahead, back := now.Add(3650*day), now.Add(-3650*day)
	for name, tt := range map[string]struct {
		now  time.Time
		want map[string]string
	}{
		"right": {now, map[string]string{"old": "not used for more than 30 days"}},
		// The first start with it.
		"ahead": {ahead, map[string]string{"old": "not used for more than 30 days"}},
		"back":  {back, map[string]string{}},
	} {
		if diff := cmp.Diff(tt.want, plan(t, s, r, tt.now, "current")); diff != "" {
			t.Errorf("%s: -want +got\n%s", name, diff)
		}
	}
	// Sessions with the wrong clock, and a second start with it.
	for i := range 3 {
		put(t, s, fmt.Sprint("ahead", i), "one", (42+3650)*inMinutes+i)
	}
	for name, tt := range map[string]struct {
		r  Retention
		at time.Time
	}{
		"ahead again": {r, ahead.Add(time.Hour)}, "right again": {r, now.Add(time.Hour)}, "count": {Retention{MaxCount: 3, MinAge: day}, now.Add(time.Hour)},
	} {
		got := plan(t, s, tt.r, tt.at, "current")
		if got["old"] == "" || len(got) > 1 {
			t.Errorf("%s: %v", name, got)
		}
	}
	// After a long time without a session, the others are old when the first new one is a day old.
	for i := range 3 {
		must(t, s.Delete(t.Context(), find(t, s, fmt.Sprint("ahead", i))))
	}
	put(t, s, "back", "one", 400*inMinutes)
	want := map[string]string{"old": "not used for more than 30 days", "before": "not used for more than 30 days", "yesterday": "not used for more than 30 days"}
	if diff := cmp.Diff(want, plan(t, s, r, start.Add(401*day+time.Hour), "current")); diff != "" {
		t.Errorf("later: -want +got\n%s", diff)
	}
}

func TestExecute(t *testing.T) {
	t.Parallel()
	s := project(t)
	for i, id := range []string{"old", "busy", "used", "kept"} {
		put(t, s, id, "one", i)
	}
	now := start.Add(365 * 24 * time.Hour)
	removals, err := s.Plan(t.Context(), Retention{MaxAge: 24 * time.Hour}, now, "kept")
	must(t, err)
	if len(removals) != 3 {
		t.Fatal(removals)
	}
	open, err := journal.Open(find(t, s, "busy").Path)
	must(t, err)
	defer open.Close()
	must(t, os.Chtimes(find(t, s, "used").Path, now, now)) // resumed since the plan
	err = s.Execute(t.Context(), removals)
	if !errors.Is(err, journal.ErrInUse) || !errors.Is(err, errChanged) {
		t.Error(err)
	}
	infos, err := s.List(t.Context())
	must(t, err)
	if diff := cmp.Diff([]string{"busy: one", "used: one", "kept: one"}, titles(infos)); diff != "" {
		t.Error(diff)
	}
}

// TestPruneOutputs checks that only old outputs without a session are deleted, and nothing behind a link.
func TestPruneOutputs(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	s, outside := project(t), t.TempDir()
	now := start.Add(40 * day)
	put(t, s, "kept", "one", 39*24*60)
	bad := filepath.Join(s.Dir, "session-2026-01-01-00-00-unreadab.jsonl")
	must(t, os.WriteFile(bad, []byte("nonsense"), 0o600))
	touch(t, outside, "file")
	root := filepath.Join(filepath.Dir(s.Dir), "tool-outputs")
	names := []string{"session-kept/a", "session-current/a", "session-gone/a", "session-written/a", "session-unreadable/a", "loose.txt"}
	touch(t, root, names...)
	must(t, os.Symlink(outside, filepath.Join(root, "session-gone", "link")))
	for _, name := range append(names, "session-kept", "session-current", "session-gone", "session-unreadable", "session-written", "loose.txt") {
		must(t, os.Chtimes(filepath.Join(root, name), start, start))
	}
	must(t, os.Chtimes(filepath.Join(root, "session-written", "a"), now, now))
	for _, r := range []Retention{{MaxCount: 1}, {MaxAge: 41 * day}} {
		must(t, s.PruneOutputs(t.Context(), r, now, "current"))
		if !exists(filepath.Join(root, "session-gone", "a")) {
			t.Errorf("%+v deletes outputs", r)
		}
	}
	link := filepath.Join(root, "session-gone", "link")
	must(t, os.Remove(link)) // its time cannot be set everywhere
	must(t, os.Symlink(outside, filepath.Join(root, "link")))
	must(t, os.Chtimes(filepath.Join(root, "session-gone"), start, start))
	must(t, s.PruneOutputs(t.Context(), Retention{MaxAge: 30 * day}, now, "current"))
	for name, want := range map[string]bool{
		"session-kept/a": true, "session-current/a": true, "session-gone": false, "session-written/a": true, "session-unreadable/a": true, "loose.txt": false,
	} {
		if exists(filepath.Join(root, name)) != want {
			t.Errorf("%s: exists is %v", name, !want)
		}
	}
	if !exists(filepath.Join(outside, "file")) {
		t.Error("a file behind a link is gone")
	}
	must(t, os.RemoveAll(root))
	must(t, os.Symlink(outside, root))
	must(t, s.PruneOutputs(t.Context(), Retention{MaxAge: time.Hour}, now.Add(400*day), "current"))
	if !exists(filepath.Join(outside, "file")) {
		t.Error("a file behind a link in place of the outputs is gone")
	}
}

func TestParseAge(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	const format = ". Expected format: <number><unit> where unit is h, d, w, or m"
	for text, want := range map[string]any{
		"24h": day, "30d": 30 * day, "4w": 28 * day, "6m": 180 * day, "99999999999999999999d": 200 * 365 * day, "999999999999m": 2433 * 30 * day,
		"": "Invalid retention period format: " + format, "30": "Invalid retention period format: 30" + format, "-1d": "Invalid retention period format: -1d" + format,
		"1 d": "Invalid retention period format: 1 d" + format, "d": "Invalid retention period format: d" + format, "0d": "Invalid retention period: 0d. Value must be greater than 0",
	} {
		got, err := parseAge(text)
		if text, ok := want.(string); ok && (err == nil || err.Error() != text) || !ok && (got != want || err != nil) {
			t.Errorf("%q: %v, %v, want %v", text, got, err, want)
		}
	}
}

// Nothing of a deleted session is left in the indexes.
func TestDeleteForgets(t *testing.T) {
	t.Parallel()
	s := project(t)
	const n = 20
	for i := range n {
		put(t, s, fmt.Sprint("id", i), fmt.Sprintf("the prompt %d.", i), i)
	}
	infos, err := s.List(t.Context())
	must(t, err)
	must(t, IndexTexts(t.Context(), infos, false))
	must(t, s.Delete(t.Context(), infos[3]))
	must(t, s.Execute(t.Context(), []Removal{{Info: infos[4]}, {Info: infos[5]}}))
	indexes, err := filepath.Glob(filepath.Join(textIndex(s.Dir).Dir, "*"))
	must(t, err)
	left := 0
	for _, path := range append(indexes, filepath.Join(s.Dir, indexName)) {
		data, err := os.ReadFile(path)
		must(t, err)
		for i, info := range infos {
			if bytes.Contains(data, []byte(filepath.Base(info.Path))) || bytes.Contains(data, []byte(info.Title)) {
				if left++; i >= 3 && i <= 5 {
					t.Errorf("%s has %s", path, info.Title)
				}
			}
		}
	}
	if left != 2*(n-3) {
		t.Errorf("%d entries are left", left)
	}
	if found := search(t, s, "the prompt 4."); found != nil {
		t.Error(found)
	}
}

// A project that has no directory has nothing to delete, in the working directory least of all.
func TestDeleteNowhere(t *testing.T) {
	t.Chdir(t.TempDir())
	must(t, os.MkdirAll(filepath.Join("x", "plans"), 0o700))
	must(t, new(Store).Delete(t.Context(), Info{ID: "x"}))
	if _, err := os.Stat(filepath.Join("x", "plans")); err != nil {
		t.Error(err)
	}
}
