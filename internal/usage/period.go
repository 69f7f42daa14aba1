package usage

import (
	"strconv"
	"time"

	"pollux/internal/exit"
	"pollux/internal/journal"
	"pollux/internal/terminal"
)

// Period is a time from Since to before Until. The zero time means no limit.
type Period struct{ Since, Until time.Time }

// contains reports whether a time, in seconds since 1970, is in the period.
func (p Period) contains(at int64) bool {
	return (p.Since.IsZero() || at >= p.Since.Unix()) && (p.Until.IsZero() || at < p.Until.Unix())
}

// ParsePeriod returns the period between two times, either of which may be "": a date such as 2026-11-21,
// "today" or "yesterday", or an age such as 12h, 7d, 4w or 6m (of 30 days). It includes the days of both. A
// number of days counts today as one. The error is a sentence for the user.
func ParsePeriod(since, until string, now time.Time) (p Period, err error) {
	if since != "" {
		if p.Since, _, err = parseTime(since, now); err != nil {
			return p, err
		}
	}
	if until != "" {
		if _, p.Until, err = parseTime(until, now); err != nil {
			return p, err
		}
	}
	if since != "" && until != "" && !p.Since.Before(p.Until) {
		err = exit.Errorf(exit.General, "The period ends on %q, before it begins on %q.", short(until), short(since))
	}
	return p, err
}

// parseTime returns when a time begins and ends.
func parseTime(text string, now time.Time) (begin, end time.Time, err error) {
	today := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	day := func(begin time.Time) (time.Time, time.Time, error) { return begin, begin.AddDate(0, 0, 1), nil }
	switch text {
	case "today":
		return day(today)
	case "yesterday":
		return day(today.AddDate(0, 0, -1))
	}
	if date, err := time.ParseInLocation(time.DateOnly, text, now.Location()); err == nil {
		return day(date)
	}
	const most = 10_000 // of a unit
	n, err := strconv.ParseUint(text[:max(0, len(text)-1)], 10, 31)
	days := map[byte]int{'d': 1, 'w': 7, 'm': 30}[text[len(text)-1]]
	switch {
	case err != nil || n == 0 || n > most:
	case days > 0:
		return day(today.AddDate(0, 0, 1-int(n)*days))
	case text[len(text)-1] == 'h':
		begin = now.Add(-time.Duration(n) * time.Hour).Truncate(journal.Quarter)
		return begin, begin, nil
	}
	return begin, end, exit.Errorf(exit.General, "%q is no time. Use a date such as 2026-11-21, today, yesterday, or an age such as 12h, 7d, 4w or 6m.", short(text))
}

// short returns a text of the user for a message.
func short(text string) string { return terminal.Cut(terminal.Line(text), 40) }
