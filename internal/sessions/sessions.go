// Package sessions finds the sessions of a project on disk: it lists, searches and deletes them, and
// finds the one that a user names. Package journal reads and writes their files.
//
// [Store.List] keeps an index of the session files beside them. It is rebuilt when it is missing.
// [Plan] and [Store.Execute] delete the sessions that are too old for the user's settings.
package sessions

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"pollux/internal/journal"
	"pollux/internal/terminal"
	"pollux/llm/ellipsis"
)

// Store is the sessions of a project.
type Store struct {
	// Dir is the directory of the session files, tmp/<slug>/chats. It may not exist.
	Dir string
	// Mask removes secrets from lines of the files that are written, see [journal.Options]; nil keeps them.
	Mask func(lines []byte) []byte
}

// Info describes a session.
type Info struct {
	ID      string
	Path    string // of its file
	Title   string // the summary, or the first prompt, on one line
	Start   time.Time
	Updated time.Time
	Prompts int
	ForkOf  string // id of the session that it began as a copy of; "" for none

	files []file // all files of the session, the one at Path first
}

// maxTitle is the maximum length of a title, in characters.
const maxTitle = 100

// List returns the sessions that can be resumed, by the time of their start. Those that start in the
// future come first: the clock was wrong, and they did not start last. The number of a session is its
// index plus 1. If several files have the same session, it takes the one used last.
func (s *Store) List(ctx context.Context) ([]Info, error) {
	files, err := s.files(ctx)
	if err != nil {
		return nil, err
	}
	return list(files), nil
}

func list(files []file) []Info {
	byID := make(map[string]int, len(files))
	infos := make([]Info, 0, len(files))
	for n := range files {
		f := files[n : n+1 : n+1]
		if f[0].Outline == nil || f[0].Outline.Kind == journal.Subagent {
			continue
		}
		i, ok := byID[f[0].Outline.SessionID]
		switch {
		case !ok:
			byID[f[0].Outline.SessionID] = len(infos)
			infos = append(infos, infoOf(f))
		case isBetter(f[0], infos[i].files[0]):
			infos[i] = infoOf(append(f, infos[i].files...))
		default:
			infos[i].files = append(infos[i].files, f[0])
		}
	}
	infos = slices.DeleteFunc(infos, func(i Info) bool { return !i.files[0].Outline.IsResumable })
	now := time.Now()
	slices.SortFunc(infos, func(a, b Info) int { // no two have the same id
		return cmp.Or(compareTimes(a.Start, b.Start, now), strings.Compare(a.ID, b.ID))
	})
	return infos
}

// skew is how much the clock of another machine may be ahead.
const skew = 5 * time.Minute

// compareTimes compares times of the past. Those of the future come before them.
func compareTimes(a, b, now time.Time) int {
	isFuture := [...]bool{a.After(now.Add(skew)), b.After(now.Add(skew))}
	switch {
	case isFuture[0] && !isFuture[1]:
		return -1
	case isFuture[1] && !isFuture[0]:
		return 1
	}
	return a.Compare(b)
}

// isBetter reports whether a is to be listed rather than b, which is of the same session.
func isBetter(a, b file) bool {
	if a.Outline.IsResumable != b.Outline.IsResumable {
		return a.Outline.IsResumable
	}
	return a.updated().After(b.updated())
}

// infoOf describes a session with these files, the one to list first.
func infoOf(files []file) Info {
	f := files[0]
	return Info{
		ID: f.Outline.SessionID, Path: f.path, Title: f.Title, Start: cmp.Or(f.Outline.Start, f.modTime()), Updated: f.updated(),
		Prompts: f.Outline.Prompts, ForkOf: f.Outline.ForkOf, files: files,
	}
}

// title returns the title of a session on one line, without characters that control a terminal.
func title(o *journal.Outline) string {
	for _, text := range [...]string{o.Summary, o.Prompt, o.Command} {
		if line := terminal.Title(text); line != "" {
			return ellipsis.Fit(line, maxTitle)
		}
	}
	return "Empty conversation"
}

// Latest is the identifier of the session that started last.
const Latest = "latest"

// ErrNone is the error if a project has no sessions.
const ErrNone = sentence("No previous sessions found for this project.")

// sentence is an error with the text of Gemini CLI, which scripts match.
type sentence string

func (s sentence) Error() string { return string(s) }

// UnknownError is the error for an identifier that no session has.
type UnknownError struct {
	Identifier string
	Dir        string // where the sessions are
}

// Error returns the text of Gemini CLI.
func (e *UnknownError) Error() string {
	return fmt.Sprintf("Invalid session identifier %q.\n  Searched for sessions in %s.\n"+
		"  Use --list-sessions to see available sessions, then use --resume {number}, --resume {uuid}, or --resume latest.",
		terminal.Line(e.Identifier), e.Dir)
}

// Find returns the session that an identifier names: an id, [Latest], or its number in the list. The
// error is [ErrNone] or an [*UnknownError], which are sentences.
func (s *Store) Find(ctx context.Context, identifier string) (Info, error) {
	info, _, err := s.FindNumber(ctx, identifier)
	return info, err
}

// FindNumber returns the session that an identifier names, as [Store.Find], and its number in the
// list.
func (s *Store) FindNumber(ctx context.Context, identifier string) (Info, int, error) {
	infos, err := s.List(ctx)
	switch {
	case err != nil:
		return Info{}, 0, err
	case len(infos) == 0:
		return Info{}, 0, ErrNone
	}
	i := Index(infos, identifier)
	if i < 0 {
		return Info{}, 0, &UnknownError{strings.TrimSpace(identifier), s.Dir}
	}
	return infos[i], i + 1, nil
}

// Index returns the index in a list of [Store.List] of the session that an identifier names, as
// [Store.Find]; -1 if it names none.
func Index(infos []Info, identifier string) int {
	identifier = strings.TrimSpace(identifier)
	i := slices.IndexFunc(infos, func(i Info) bool { return i.ID == identifier })
	if i < 0 && identifier == Latest {
		i = len(infos) - 1
	}
	if n, err := strconv.ParseUint(identifier, 10, 31); i < 0 && err == nil && int(n) <= len(infos) {
		i = int(n) - 1
	}
	return i
}

// Ago returns the age of a time in words: "Just now", "3 hours ago".
func Ago(t, now time.Time) string {
	const day = 24 * time.Hour
	d := now.Sub(t)
	for _, u := range [...]struct {
		unit time.Duration
		name string
	}{{day, "day"}, {time.Hour, "hour"}, {time.Minute, "minute"}} {
		switch n := d / u.unit; {
		case n == 1:
			return "1 " + u.name + " ago"
		case n > 1:
			return fmt.Sprintf("%d %ss ago", n, u.name)
		}
	}
	return "Just now"
}
