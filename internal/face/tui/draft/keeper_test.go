package draft

import (
	"slices"
	"testing"
	"time"
)

// TestKeeper follows a draft through two sessions: it is saved some time after a key, at once with another queue or in another session, where
// the first session's one is removed, and never twice.
func TestKeeper(t *testing.T) {
	t.Parallel()
	saved := make(chan Draft, 10)
	posts := make(chan func(), 10)
	k := &Keeper{Save: func(d Draft, now time.Time) { d.Time = now; saved <- d }}
	now := time.Now()
	due := func(step string, queue []string, want time.Time, wantOK bool) {
		t.Helper()
		if at, ok := k.Due(queue); ok != wantOK || ok && !at.Equal(want) {
			t.Errorf("%s: due in %v, %v", step, at.Sub(now), ok)
		}
	}
	keeps := func(step string, d Draft, want ...Draft) {
		t.Helper()
		k.Keep(d, now, func(f func()) { posts <- f })
		for _, w := range want {
			if got := <-saved; got.Session != w.Session || !got.Equal(&w) || !got.Time.Equal(now) {
				t.Errorf("%s: saved %+v, not %+v", step, got, w)
			}
		}
		if len(want) > 0 {
			due(step+", while it is saved", []string{"other"}, time.Time{}, false)
			(<-posts)()
		}
	}
	k.Touch(now)
	due("before the session", []string{"a"}, time.Time{}, false)
	k.Last(Draft{Text: "a"}, now)
	k.Follow("one")
	due("a key", nil, now.Add(keepDelay), true)
	k.Touch(now.Add(time.Second))
	due("the next key", nil, now.Add(keepDelay), true)
	keeps("a key", Draft{Text: "a"}, Draft{Session: "one", Text: "a"})
	due("at rest", nil, time.Time{}, false)
	due("a queue", []string{"q"}, time.Time{}, true)
	keeps("a queue", Draft{Text: "a", Queue: []string{"q"}}, Draft{Session: "one", Text: "a", Queue: []string{"q"}})
	keeps("nothing new", Draft{Text: "a", Queue: []string{"q"}})
	k.Follow("one")
	due("the same session", []string{"q"}, time.Time{}, false)
	k.Follow("two")
	due("another session", nil, time.Time{}, true)
	keeps("another session", Draft{Text: "a"}, Draft{Session: "one"}, Draft{Session: "two", Text: "a"})
	k.Restored(Draft{Text: "b", Queue: []string{"q"}})
	due("restored", []string{"q"}, time.Time{}, false)
	k.Last(Draft{Text: "b", Queue: []string{"q"}}, now)
	k.Last(Draft{Text: "c"}, now)
	close(saved)
	var texts []string
	for d := range saved {
		texts = append(texts, d.Session+" "+d.Text)
	}
	if !slices.Equal(texts, []string{"two c"}) {
		t.Errorf("at the end: %q", texts)
	}
}
