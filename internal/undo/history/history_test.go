package history

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pollux/internal/undo/state"
	"pollux/internal/undo/store"
)

// log is a log whose operations the tests write by hand.
type log struct {
	store *store.Store
	base  *store.Base
}

func newLog(t *testing.T) *log {
	t.Helper()
	s := store.Open(t.TempDir(), store.DefaultLimit)
	b, err := s.Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	return &log{s, b}
}

// add adds an operation that makes a directory at a path.
func (l *log) add(t *testing.T, h store.Header, path string) {
	t.Helper()
	w := l.base.Begin()
	made := store.Version{State: state.State{Kind: state.Directory, Mode: 0o755}}
	if err := w.Commit(&store.Operation{Header: h, Changes: []store.Change{{Path: path, After: made}}}); err != nil {
		t.Fatal(err)
	}
}

func (l *log) call(t *testing.T, session, prompt, call string) {
	l.add(t, store.Header{Kind: store.Call, Session: session, Prompt: prompt, Call: call}, "/"+session+"/"+call)
}

func (l *log) undo(t *testing.T, session string, numbers ...int) {
	l.add(t, store.Header{Kind: store.Undo, Session: session, Undoes: numbers}, "/undo")
}

// found describes the operations that were found, or the error.
func found(list []*store.Operation, err error) string {
	if err != nil {
		return err.Error()
	}
	var numbers []string
	for _, o := range list {
		numbers = append(numbers, fmt.Sprint(o.Number))
	}
	return strings.Join(numbers, " ")
}

func (l *log) read(t *testing.T) *History {
	t.Helper()
	h, err := Read(l.store)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// TestSelect names operations in all ways.
func TestSelect(t *testing.T) {
	t.Parallel()
	l := newLog(t)
	l.call(t, "s", "p1", "a")
	l.call(t, "s", "p1", "b")
	l.call(t, "other", "q1", "c")
	l.call(t, "s", "p2", "d")
	l.call(t, "other", "q2", "e")
	l.call(t, "s", "p3", "f")
	h := l.read(t)
	for _, test := range []struct {
		name string
		s    Selection
		want string
	}{
		{"the newest of all sessions", Selection{Count: 1}, "6"},
		{"more of its session", Selection{Count: 3}, "6 4 2"},
		{"all of its session", Selection{Count: 4}, "6 4 2 1"},
		{"more than there are", Selection{Count: 5}, "only 4 changes of this session can be undone"},
		{"of a session", Selection{Session: "other", Count: 2}, "5 3"},
		{"of an unknown session", Selection{Session: "x", Count: 1}, "nothing to undo"},
		{"a number", Selection{Call: "#2"}, "2"},
		{"a bare number", Selection{Call: "3"}, "3"},
		{"a number of another session", Selection{Session: "s", Call: "#5"}, "5"},
		{"a call", Selection{Call: "d"}, "4"},
		{"an unknown number", Selection{Call: "#7"}, `there is no change "#7"; to list them, run pollux undo log`},
		{"number zero", Selection{Call: "#0"}, `there is no change "#0"; to list them, run pollux undo log`},
		{"an unknown call", Selection{Call: "x"}, `there is no change "x"; to list them, run pollux undo log`},
		{"since the last prompt", Selection{Count: 1, Prompt: "p3"}, "6"},
		{"since a prompt with two calls", Selection{Count: 1, Prompt: "p1"}, "6 4 2 1"},
		{"since a prompt of another session", Selection{Count: 1, Prompt: "q1", Session: "other"}, "5 3"},
		{"since an unknown prompt", Selection{Count: 1, Prompt: "x"}, "no change since prompt x is recorded"},
	} {
		if got := found(h.Undo(test.s)); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

// TestCallsWithHooks has hooks that changed something before and after calls: they are undone with them.
func TestCallsWithHooks(t *testing.T) {
	t.Parallel()
	l := newLog(t)
	hook := func(call string) {
		l.add(t, store.Header{Kind: store.Command, Session: "s", Prompt: "p", Call: call}, "/h")
	}
	hook("") // 1, when the session began
	hook("") // 2
	hook("a")
	l.call(t, "s", "p", "a")
	hook("a")
	l.call(t, "other", "q", "c")
	l.call(t, "s", "p", "b") // 7
	hook("b")
	l.call(t, "s", "p2", "b") // 9, a model that gives an id twice
	h := l.read(t)
	for _, test := range []struct {
		name string
		s    Selection
		want string
	}{
		{"one", Selection{Session: "s", Count: 1}, "9"},
		{"two", Selection{Session: "s", Count: 2}, "9 8 7"},
		{"three", Selection{Session: "s", Count: 3}, "9 8 7 5 4 3"},
		{"four", Selection{Session: "s", Count: 4}, "9 8 7 5 4 3 2"},
		{"too many", Selection{Session: "s", Count: 6}, "only 5 changes of this session can be undone"},
		{"since a prompt", Selection{Session: "s", Prompt: "p2"}, "9"},
		{"a call", Selection{Call: "a"}, "5 4 3"},
		{"a number", Selection{Call: "#4"}, "4"},
	} {
		if got := found(h.Undo(test.s)); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
	l.undo(t, "s", 5)
	if got := found(l.read(t).Undo(Selection{Call: "a"})); got != "4 3" {
		t.Errorf("the rest of a call: %s", got)
	}
}

// TestBetween leaves the changes of programs in the background, unless they are named.
func TestBetween(t *testing.T) {
	t.Parallel()
	l := newLog(t)
	l.call(t, "s", "p", "a")                                                           // 1
	l.add(t, store.Header{Kind: store.Background, Session: "s", Title: "x"}, "/b")     // 2
	l.call(t, "s", "p", "b")                                                           // 3
	l.add(t, store.Header{Kind: store.Background, Session: "s", Title: "y"}, "/b")     // 4
	l.add(t, store.Header{Kind: store.Background, Session: "other", Title: "z"}, "/b") // 5
	check := func(s Selection, want string) {
		t.Helper()
		if got := found(l.read(t).Undo(s)); got != want {
			t.Errorf("%+v: %s, want %s", s, got, want)
		}
	}
	check(Selection{Count: 1}, "3")
	check(Selection{Count: 2}, "3 1")
	check(Selection{Count: 3}, "only 2 changes of this session can be undone")
	check(Selection{Prompt: "p"}, "3 1")
	check(Selection{Call: "#4"}, "4")
	check(Selection{Session: "other", Count: 1}, "nothing to undo")
	if got := found(l.read(t).Touching("/b")); got != "5" {
		t.Errorf("touching: %s", got)
	}
	between := func(session string, after int, want ...int) {
		t.Helper()
		var got []int
		for _, o := range l.read(t).Between(session, after) {
			got = append(got, o.Number)
		}
		if !slices.Equal(got, want) {
			t.Errorf("between, of %q after %d: %v, want %v", session, after, got, want)
		}
	}
	between("s", 0, 4, 2)
	between("s", 3, 4)
	between("", 0, 5)
	l.undo(t, "s", 3)                                                              // 6
	l.add(t, store.Header{Kind: store.Background, Session: "s", Title: "x"}, "/b") // 7
	if got := found(l.read(t).Redo("s")); got != "6" {
		t.Errorf("redo: %s", got)
	}
	l.undo(t, "s", 4) // 8
	between("s", 0, 7, 2)
}

// TestUndoAndRedo follows a log in which undos take operations, and one another, back.
func TestUndoAndRedo(t *testing.T) {
	t.Parallel()
	l := newLog(t)
	check := func(what, undo, redo string) {
		t.Helper()
		h := l.read(t)
		if got := found(h.Undo(Selection{Session: "s", Count: 1})); got != undo {
			t.Errorf("%s: undo %s, want %s", what, got, undo)
		}
		if got := found(h.Redo("s")); got != redo {
			t.Errorf("%s: redo %s, want %s", what, got, redo)
		}
	}
	const noUndo, noRedo = "nothing to undo", "nothing to redo"
	check("an empty log", noUndo, noRedo)
	l.call(t, "s", "p", "a") // 1
	l.call(t, "s", "p", "b") // 2
	check("two calls", "2", noRedo)
	l.undo(t, "s", 2) // 3
	check("one undone", "1", "3")
	l.undo(t, "s", 1) // 4
	check("both undone", noUndo, "4")
	l.undo(t, "s", 4) // 5, a redo
	check("one done again", "1", "3")
	l.undo(t, "s", 3) // 6, a redo
	check("both done again", "2", noRedo)
	l.undo(t, "s", 2, 1) // 7
	check("both undone at once", noUndo, "7")
	l.call(t, "other", "q", "c") // 8
	check("another session has worked", noUndo, "7")
	l.call(t, "s", "p", "d") // 9
	check("new work", "9", noRedo)
	l.undo(t, "s", 9) // 10
	check("new work undone", noUndo, "10")
	l.undo(t, "s", 6) // 11, the undo of a redo
	check("an old redo undone", noUndo, "10")
	h := l.read(t)
	if got := found(h.Undo(Selection{Call: "#9"})); got != "9" { // there may be paths that the undo has left
		t.Errorf("undone twice: %s", got)
	}
	for n, want := range map[int]bool{1: true, 2: true, 3: false, 4: true, 5: false, 6: true, 7: false, 8: false, 9: true, 10: false} {
		if h.IsUndone(n) != want {
			t.Errorf("#%d is undone: %v", n, !want)
		}
	}
}

// TestUndoOfRedo has an undo of a redo of an undo: the call is undone.
func TestUndoOfRedo(t *testing.T) {
	t.Parallel()
	l := newLog(t)
	l.call(t, "s", "p", "a")
	for n, want := range []bool{true, false, true, false} {
		l.undo(t, "s", n+1)
		if l.read(t).IsUndone(1) != want {
			t.Errorf("after #%d: undone %v", n+2, !want)
		}
	}
}

// TestUndoOfPartial takes the undo of some paths back, after one of all: the call stays undone.
func TestUndoOfPartial(t *testing.T) {
	t.Parallel()
	l := newLog(t)
	l.call(t, "s", "p", "a")
	l.undo(t, "s", 1)
	l.add(t, store.Header{Kind: store.Undo, Session: "s", Undoes: []int{1}, IsPartial: true}, "b")
	l.undo(t, "s", 3)
	h := l.read(t)
	for n, want := range map[int]bool{1: true, 2: false, 3: true} {
		if h.IsUndone(n) != want {
			t.Errorf("#%d is undone: %v", n, !want)
		}
	}
}

// TestTouching finds the newest change of a path, or of one below it.
func TestTouching(t *testing.T) {
	t.Parallel()
	l := newLog(t)
	l.call(t, "s", "p", "a")                                                         // 1
	l.call(t, "other", "q", "a")                                                     // 2
	l.call(t, "s", "p", "b")                                                         // 3
	l.call(t, "s", "p", "b")                                                         // 4
	l.add(t, store.Header{Kind: store.Undo, Session: "s", Undoes: []int{4}}, "/s/b") // 5
	l.call(t, "s", "p", "c")                                                         // 6
	l.undo(t, "s", 6)                                                                // 7, which has left it
	h := l.read(t)
	for path, want := range map[string]string{
		"/s/a": "1", "/s": "6", "/other": "2", "/s/b": "3", "/s/c": "6", "/undo": "no recorded change of /undo can be undone", "/oth": "no recorded change of /oth can be undone",
	} {
		if got := found(h.Touching(path)); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}
