package confine

import (
	"testing"
	"time"

	"pollux/internal/outcome"
	"pollux/internal/sandbox/refusals"
)

// TestLogTable checks that a person sees a command once which lacked several permissions.
func TestLogTable(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.Local)
	got := outcome.New(logTable([]refusals.Refusal{
		{Time: at, Command: "make", Reason: "It hides a."},
		{Time: at.Add(time.Second), Command: "make", Reason: "It hides b."},
		{Time: at, Command: "make", Reason: "It hides c.", IsGranted: true},
	})).Plain(80)
	want := "Time              Answer   Command  Reason\n" +
		"2026-01-02 03:04  refused  make     It hides a.\n" +
		"                                    It hides b.\n" +
		"2026-01-02 03:04  allowed  make     It hides c.\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
