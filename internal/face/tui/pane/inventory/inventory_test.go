package inventory

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"pollux/internal/face/tui/golden"
	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/pane"
	"pollux/internal/face/tui/pane/panetest"
)

// user is a pane with the work that it does in the background.
type user struct {
	t       *testing.T
	pane    *Pane
	content Listing
	work    []func() (show func())
}

func newUser(t *testing.T, content Listing) *user {
	t.Helper()
	u := &user{t: t, content: content}
	u.pane = New(Options{
		Title: "Boats", Nothing: "No boats. To build one, see /docs boats.", List: func() Listing { return u.content }, Bindings: keys.Default("linux"),
		Background: func(work func() (show func())) { u.work = append(u.work, work) },
	})
	return u
}

// wait finishes the work in the background.
func (u *user) wait() *user {
	for len(u.work) > 0 {
		work := u.work[0]
		u.work = u.work[1:]
		work()()
	}
	return u
}

// press presses keys, and returns the effect of the last one.
func (u *user) press(names ...string) (o pane.Outcome) {
	return panetest.Press(u.pane, u.pane.o.Bindings, names...)
}

// text returns the screen.
func (u *user) text(width, height int) string {
	u.t.Helper()
	return panetest.Text(u.t, u.pane, width, height)
}

func boats() Listing {
	return Listing{Note: "All boats are in the harbor.", Items: []Item{
		{Name: "Albatross", State: "afloat, 3 sails", About: []string{"Error: a leak\x1b[31m below the water line", "Built in a small yard on the northern coast, in 1911"}, Actions: []Action{
			Run("Sink", "/boats sink", "Albatross"),
			{Label: "Show sails", Lists: []Item{{Name: "jib", About: []string{"A small one"}}, {Name: "main"}}},
			{Label: "Repair", Command: "/boats repair Albatross", Leaves: true},
			{Label: "Sell", WhyNot: "it leaks"},
		}},
		{Name: "Bounty", State: "sunk", Also: "mutiny", Actions: []Action{Run("Raise", "/boats raise", "Bounty")}},
		{Name: "-bad", State: "afloat", Actions: []Action{Run("Sink", "/boats sink", "-bad")}},
		{Name: "Raft"},
	}}
}

func TestKeys(t *testing.T) {
	t.Parallel()
	sink := pane.Chosen{Command: "/boats sink Albatross", Stays: true}
	for _, c := range []struct {
		keys    string
		outcome pane.Outcome
		problem string
	}{
		{"tab", sink, ""},
		{"enter enter", sink, ""},
		{"enter down down enter", pane.Chosen{Command: "/boats repair Albatross"}, ""},
		{"enter down down down enter", sink, ""}, // the last one cannot be chosen
		{"down tab", pane.Chosen{Command: "/boats raise Bounty", Stays: true}, ""},
		{"m u t i n y tab", pane.Chosen{Command: "/boats raise Bounty", Stays: true}, ""},
		{"down down tab", pane.Changed{}, "Cannot do this: its name cannot be typed."},
		{"up tab", pane.Ignored{}, ""},
		{"up enter", pane.Changed{}, ""},
		{"z q tab", pane.Ignored{}, ""},
		{"escape", pane.Closed{}, ""},
		{"enter escape escape", pane.Closed{}, ""},
		{"enter down enter enter escape escape escape", pane.Closed{}, ""},
		{"tab tab", pane.Changed{}, "Wait for the end of the last command."},
	} {
		u := newUser(t, boats()).wait()
		if o := u.press(strings.Fields(c.keys)...); !reflect.DeepEqual(o, c.outcome) || u.pane.problem != c.problem {
			t.Errorf("%s: %#v, %q", c.keys, o, u.pane.problem)
		}
	}
}

// TestRun checks a command: the pane is live while it runs, reads the items again, and shows the text.
func TestRun(t *testing.T) {
	t.Parallel()
	u := newUser(t, boats()).wait()
	u.press("enter", "down", "enter", "escape")
	if got := u.text(80, 24); !strings.Contains(got, "❯ Show sails") {
		t.Errorf("the menu is not open again:\n%s", got)
	}
	u.press("escape")
	if u.pane.IsLive() {
		t.Error("live without a reason")
	}
	u.press("enter", "enter")
	if !u.pane.IsLive() || !strings.Contains(u.text(80, 24), "Working...") || u.pane.open != nil {
		t.Errorf("running:\n%s", u.text(80, 24))
	}
	u.content.Items[0].State, u.content.Items[0].IsChanging = "sinking", true
	u.pane.Done("")
	u.pane.Report("Albatross sinks.\nSlowly.")
	u.wait()
	if got := u.text(80, 24); !strings.Contains(got, "❯ Albatross  sinking") || !strings.Contains(got, "Albatross sinks. Slowly.") || !u.pane.IsLive() {
		t.Errorf("done:\n%s", got)
	}
	u.press("down", "tab")
	u.pane.Done("No crane.")
	u.wait()
	if got := u.text(80, 24); !strings.Contains(got, "No crane.") || strings.Contains(got, "Slowly") || !strings.Contains(got, "❯ Bounty") {
		t.Errorf("failed:\n%s", got)
	}
	u.press("enter")
	u.pane.Refresh()
	show := u.work[0]()
	u.content, u.work = Listing{Problem: "The harbor is closed."}, nil
	u.pane.Refresh() // while the first one reads: it reads once more
	if len(u.work) != 0 {
		t.Error("two reads at once")
	}
	show()
	if got := u.wait().text(80, 24); !strings.Contains(got, "No boats.") || u.pane.content.Problem == "" || u.pane.open != nil {
		t.Errorf("all have gone:\n%s", got)
	}
}

// TestScreens compares the pane with its golden screens.
func TestScreens(t *testing.T) {
	t.Parallel()
	for _, width := range []int{40, 80, 160} {
		var all strings.Builder
		for _, c := range []struct {
			name, keys string
			height     int
		}{
			{"list", "", 24},
			{"low", "", 10},
			{"search", "b o u", 24},
			{"menu", "enter", 24},
			{"low menu", "enter", 10},
			{"page", "enter down enter", 24},
			{"problem", "down down tab", 24},
			{"nothing to do", "up", 24},
			{"one row", "", 1},
		} {
			u := newUser(t, boats()).wait()
			u.press(strings.Fields(c.keys)...)
			fmt.Fprintf(&all, "== %s\n%s", c.name, u.text(width, c.height))
		}
		u := newUser(t, Listing{})
		fmt.Fprintf(&all, "== loading\n%s== nothing\n%s", u.text(width, 24), u.wait().text(width, 24))
		golden.Check(t, fmt.Sprintf("inventory.%d.txt", width), all.String())
	}
	u := newUser(t, boats()).wait()
	for _, key := range []string{"", "enter", "down", "enter", "escape"} {
		if key != "" {
			u.press(key)
		}
		for width := range 50 {
			for height := range 14 {
				u.text(width, height)
			}
		}
	}
}
