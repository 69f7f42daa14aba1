package sessions

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"time"

	"pollux/internal/config"
)

// Retention selects the sessions to keep.
type Retention struct {
	// MaxAge is the time after their last use after which sessions are deleted; 0 is no limit.
	MaxAge time.Duration
	// MaxCount is the number of sessions to keep, the current one included; 0 is no limit.
	MaxCount int
	// MinAge is the time for which every session is kept.
	MinAge time.Duration
}

// RetentionOf returns the user's settings for old sessions; nil if the user wants to keep all. The
// error is a reason in the words of Gemini CLI.
func RetentionOf(s *config.Settings) (*Retention, error) {
	if !config.SessionRetention.In(s) {
		return nil, nil
	}
	minimum, r := config.SessionMinAge.In(s), &Retention{}
	var err error
	if r.MinAge, err = parseAge(minimum); err != nil {
		r.MinAge = 24 * time.Hour
	}
	if age := config.SessionMaxAge.In(s); age != "" {
		if r.MaxAge, err = parseAge(age); err != nil {
			return nil, err
		}
		if r.MaxAge < r.MinAge {
			return nil, fmt.Errorf("maxAge cannot be less than minRetention (%s)", minimum)
		}
	}
	_, isSet := s.Lookup(string(config.SessionMaxCount))
	count := config.SessionMaxCount.In(s)
	switch {
	case isSet && count < 1:
		return nil, sentence("maxCount must be at least 1")
	case isSet:
		r.MaxCount = int(min(count, 1<<30))
	case r.MaxAge == 0:
		return nil, sentence("Either maxAge or maxCount must be specified")
	}
	return r, nil
}

// parseAge parses a number with a unit: h, d, w or m, which is 30 days.
func parseAge(text string) (time.Duration, error) {
	const day = 24 * time.Hour
	units := map[byte]time.Duration{'h': time.Hour, 'd': day, 'w': 7 * day, 'm': 30 * day}
	bad := sentence(fmt.Sprintf("Invalid retention period format: %s. Expected format: <number><unit> where unit is h, d, w, or m", text))
	if text == "" {
		return 0, bad
	}
	unit := units[text[len(text)-1]]
	n, err := strconv.ParseUint(text[:len(text)-1], 10, 64)
	switch {
	case unit == 0, err != nil && !errors.Is(err, strconv.ErrRange):
		return 0, bad
	case n == 0:
		return 0, sentence(fmt.Sprintf("Invalid retention period: %s. Value must be greater than 0", text))
	}
	const longest = 200 * 365 * day
	return time.Duration(min(n, uint64(longest/unit))) * unit, nil
}

// ageText returns an age that [parseAge] has read in words: in days, or in hours if it is no whole number of days.
func ageText(age time.Duration) string {
	const day = 24 * time.Hour
	n, noun := age/time.Hour, "hour"
	if age%day == 0 {
		n, noun = age/day, "day"
	}
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// Removal is a session to delete.
type Removal struct {
	Info
	Reason string // "older than 30 days", "more than 50 sessions", "no conversation"
}

// minEmptyAge is the age at which a session without a prompt is deleted. A younger one may be about to
// get one: Gemini CLI makes the file when it starts, and holds no lock on it.
const minEmptyAge = 24 * time.Hour

// Plan returns the sessions to delete at a time, the oldest first. current is the id of the session
// that runs; it is kept. Files that hold no session are kept until they have the maximum age.
//
// A clock that is wrong for a while deletes nothing: sessions from the future are kept and not counted,
// and after a long time without any session, time has passed for the others only when the first one is
// a day old.
func (s *Store) Plan(ctx context.Context, r Retention, now time.Time, current string) ([]Removal, error) {
	files, err := s.files(ctx)
	if err != nil {
		return nil, err
	}
	infos := list(files)
	now, past := certain(infos, now)
	excess := 0
	if r.MaxCount > 0 {
		excess = len(past) - r.MaxCount
		if !slices.ContainsFunc(past, func(i Info) bool { return i.ID == current }) {
			excess++ // it has no prompt yet
		}
	}
	var removals []Removal
	for _, i := range past {
		age := now.Sub(i.Updated)
		switch {
		case i.ID == current || age < r.MinAge:
		case r.MaxAge > 0 && age > r.MaxAge:
			removals = append(removals, Removal{i, "not used for more than " + ageText(r.MaxAge)})
			excess--
		case excess > 0:
			removals = append(removals, Removal{i, fmt.Sprintf("more than %d sessions", r.MaxCount)})
			excess--
		}
	}
	return append(removals, unlisted(files, infos, r, now, current)...), nil
}

// certain returns the time by which ages count, and the sessions that were used before now, the oldest
// first.
func certain(infos []Info, now time.Time) (time.Time, []Info) {
	const day = 24 * time.Hour
	past := slices.DeleteFunc(slices.Clone(infos), func(i Info) bool { return i.Updated.After(now.Add(skew)) })
	slices.SortStableFunc(past, func(a, b Info) int { return a.Updated.Compare(b.Updated) })
	for _, i := range slices.Backward(past) {
		if limit := i.Updated.Add(day); !limit.After(now) {
			return limit, past
		}
	}
	return now, past
}

// unlisted returns the files to delete that belong to no session in the list.
func unlisted(files []file, infos []Info, r Retention, now time.Time, current string) []Removal {
	listed := map[string]bool{current: true}
	for _, i := range infos {
		listed[i.ID] = true
	}
	var removals []Removal
	for _, f := range files {
		age := now.Sub(f.modTime())
		switch {
		case f.Outline == nil:
			if r.MaxAge > 0 && age > r.MaxAge {
				removals = append(removals, Removal{Info{Path: f.path, files: []file{f}}, "not a session"})
			}
		case listed[f.Outline.SessionID]:
		case age > minEmptyAge:
			removals = append(removals, Removal{infoOf([]file{f}), "no conversation"})
		}
	}
	return removals
}

// errChanged is the error for a file that was written to since the removals were planned.
var errChanged = errors.New("the session was used in the meantime")

// Execute deletes the planned sessions. It keeps those that are in use or were used since then, and
// returns why it kept any.
func (s *Store) Execute(ctx context.Context, removals []Removal) (failed error) {
	infos := make([]Info, len(removals))
	for i, r := range removals {
		infos[i] = r.Info
	}
	if err := s.forget(ctx, infos...); err != nil {
		return err
	}
	for _, r := range removals {
		if err := ctx.Err(); err != nil {
			return err
		}
		err := s.remove(ctx, r.Info, func(f file) error {
			info, err := os.Lstat(f.path)
			if err != nil || info.Size() != f.Size || info.ModTime().UnixNano() != f.ModTime {
				return errChanged
			}
			return nil
		})
		failed = errors.Join(failed, err)
	}
	return failed
}
