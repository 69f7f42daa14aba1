package working

import (
	"strconv"
	"strings"
	"time"
)

// stopwatch measures the time of work in laps. Its zero value has measured nothing.
type stopwatch struct {
	earlier   time.Duration // of the laps before the current one
	began     time.Time     // the current lap; zero if there was none
	end       time.Time     // of the lap, if isStopped
	isStopped bool
}

// restart begins a lap at 0.
func (s *stopwatch) restart(at time.Time) {
	*s = stopwatch{earlier: s.total(at), began: at}
}

// stop ends the lap. A stopped lap stays as it is.
func (s *stopwatch) stop(at time.Time) {
	if !s.isStopped {
		s.end, s.isStopped = at, true
	}
}

// lap returns the length of the current lap, or of the last one if the stopwatch is stopped.
func (s *stopwatch) lap(now time.Time) time.Duration {
	if s.isStopped {
		now = s.end
	}
	if s.began.IsZero() {
		return 0
	}
	return max(now.Sub(s.began), 0)
}

// total returns the length of all laps.
func (s *stopwatch) total(now time.Time) time.Duration { return s.earlier + s.lap(now) }

// at returns the time a number of steps after the beginning of the lap.
func (s *stopwatch) at(tick int, step time.Duration) time.Time {
	return s.began.Add(time.Duration(tick) * step)
}

// seconds returns a duration in hours, minutes and whole seconds, such as "12s", "1m 5s" or "2h 0m 3s".
func seconds(d time.Duration) string {
	n := int(d / time.Second)
	var b strings.Builder
	if n >= 3600 {
		b.WriteString(strconv.Itoa(n/3600) + "h ")
	}
	if n >= 60 {
		b.WriteString(strconv.Itoa(n/60%60) + "m ")
	}
	return b.String() + strconv.Itoa(n%60) + "s"
}
