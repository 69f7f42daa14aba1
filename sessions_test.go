package pollux_test

import (
	"errors"
	"testing"

	"pollux/internal/scriptmodel/scripttest"

	"pollux"
)

// TestResume checks that a recorded conversation goes on under its id, and that only this id finds it.
func TestResume(t *testing.T) {
	t.Parallel()
	dir, home := t.TempDir(), t.TempDir()
	options := func(script string) pollux.Options {
		return pollux.Options{Dir: dir, Home: home, Generator: scripttest.Gemini(t, script), Model: "gemini-2.5-flash"}
	}
	o := options("turn\n  text Noted.\n")
	o.SessionID, o.Recorded = "user-42", true
	first := open(t, o)
	say(t, first, "My boat is called Heron.")
	if id := first.SessionID(); id != "user-42" {
		t.Errorf("the id is %q", id)
	}
	first.Close()

	o.Generator = clerk{}
	if _, err := pollux.New(t.Context(), o); err == nil {
		t.Error("a second conversation gets the same id")
	}
	for _, id := range []string{"1", "latest", "user-4", "../user-42"} {
		o := pollux.Options{Dir: dir, Home: home, Generator: clerk{}, Model: "clerk-1", Resume: id}
		if _, err := pollux.New(t.Context(), o); !errors.Is(err, pollux.ErrNoSession) {
			t.Errorf("resume %q: %v", id, err)
		}
	}

	o = options("turn\n  expect anywhere Heron\n  expect prompt What is it called?\n  text Heron.\n")
	o.Resume = "user-42"
	second := open(t, o)
	if n := len(second.History()); n < 3 {
		t.Errorf("%d messages are resumed", n)
	}
	if got := say(t, second, "What is it called?"); got != "Heron." {
		t.Errorf("got %q", got)
	}
	list, err := second.Sessions(t.Context())
	if err != nil || len(list) != 1 || list[0].ID != "user-42" || list[0].Title != "My boat is called Heron." || list[0].Prompts != 2 || list[0].Start.IsZero() {
		t.Errorf("sessions: %+v, %v", list, err)
	}

	// While an agent has the conversation open, another one continues a copy.
	o = options("turn\n  expect anywhere Heron\n  text Yes.\n")
	o.Resume = "user-42"
	third := open(t, o)
	say(t, third, "Again?")
	if id := third.SessionID(); id == "user-42" {
		t.Error("two agents have the same conversation")
	}
}

// TestNotRecorded checks that nothing of a conversation is left if it is not recorded.
func TestNotRecorded(t *testing.T) {
	t.Parallel()
	a := open(t, pollux.Options{Dir: t.TempDir(), Home: t.TempDir(), Generator: scripttest.Gemini(t, "turn\n  text Hello.\n"), Model: "gemini-2.5-flash"})
	say(t, a, "Hi.")
	if list, err := a.Sessions(t.Context()); err != nil || len(list) > 0 {
		t.Errorf("sessions: %+v, %v", list, err)
	}
	if a.SessionID() == "" {
		t.Error("the conversation has no id")
	}
}
