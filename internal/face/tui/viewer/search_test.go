package viewer

import (
	"strings"
	"testing"

	"pollux/internal/face/tui/theme"
)

// every returns the places of all matches of a query in a conversation, in order.
// TestFinder compares the answers of a finder at any time with the list of all matches.
// number returns the part of the last line with the number of the match.
func status(v *Viewer) string {
	lines := strings.Split(strings.TrimRight(screen(v, 100, 11), "\n"), "\n")
	return lines[len(lines)-1]
}

func typeText(v *Viewer, text string) {
	press(v, "/")
	press(v, strings.Split(text, "")...)
}

func TestSearch(t *testing.T) {
	t.Parallel()
	k := (&talk{}).prompt("Alpha " + lines(50)).answer("alpha and **al**pha").prompt(lines(100) + "ALPHA").answer("end")
	v := New(k.source(), Options{})
	screen(v, 100, 11)
	press(v, "g")
	expect := func(title, first, last string) {
		t.Helper()
		if got := top(v, 100, 11); got != first {
			t.Errorf("%s: the first row is %q, not %q", title, got, first)
		}
		if got := status(v); !strings.Contains(got, last) {
			t.Errorf("%s: the last line is %q, without %q", title, got, last)
		}
	}
	press(v, "j")
	typeText(v, "al")
	for v.Step() {
	}
	expect("typing", "line-048", "/al  2 of 4")
	press(v, "p")
	for v.Step() {
	}
	expect("typing more", "line-048", "/alp  2 of 4")
	press(v, "x")
	for v.Step() {
	}
	expect("no match", "line-001", "/alpx  no matches")
	press(v, "backspace", "enter")
	for v.Step() {
	}
	expect("entered", "line-048", "/alp 2 of 4")
	press(v, "n")
	expect("the next match in the row", "line-048", "/alp 3 of 4")
	press(v, "n")
	expect("the next match", "line-093", "/alp 4 of 4")
	press(v, "n")
	expect("the first match", "> Alpha line-000", "/alp 1 of 4")
	press(v, "N")
	expect("the last match", "line-093", "/alp 4 of 4")
	press(v, "N")
	expect("the match before", "line-048", "/alp 3 of 4")
	press(v, "g", "n")
	expect("from the beginning", "> Alpha line-000", "/alp 1 of 4")
	press(v, "G", "N")
	expect("from the end", "line-093", "/alp 4 of 4")
	typeText(v, "end")
	for v.Step() {
	}
	expect("backward from the end", "line-093", "/end  1 of 1")
	press(v, "escape")
	typeText(v, "Alp")
	for v.Step() {
	}
	expect("with a capital", "> Alpha line-000", "/Alp  1 of 1")
	press(v, "escape")
	expect("cancelled", "line-093", "Prompt 2 of 2")
	if strings.Contains(status(v), "/Alp") {
		t.Errorf("the search stays: %q", status(v))
	}
	press(v, "n")
	expect("without a search", "line-093", "Type / to search.")
}

// TestSearchInSteps checks that a key does not wait for a search, and that the match is shown when it is found.
func TestSearchInSteps(t *testing.T) {
	t.Parallel()
	k := (&talk{}).prompt("needle")
	for range 60 {
		k.answer(strings.Repeat("hay ", 1000))
	}
	v := New(k.source(), Options{})
	screen(v, 100, 11)
	typeText(v, "needle")
	if got := status(v); !strings.Contains(got, "searching…") {
		t.Errorf("the last line is %q", got)
	}
	steps := 0
	for v.Step() {
		steps++
	}
	if got := top(v, 100, 11); got != "> needle" || steps < 10 {
		t.Errorf("after %d steps the first row is %q", steps, got)
	}
	if got := status(v); !strings.Contains(got, "1 of 1") {
		t.Errorf("the last line is %q", got)
	}
	press(v, "enter")
	typeText(v, "hay")
	if got := status(v); !strings.Contains(got, " found so far") {
		t.Errorf("the last line is %q", got)
	}
	press(v, "enter")
	k.answer("more hay")
	v.Refresh()
	for v.Step() {
	}
	if got := status(v); !strings.Contains(got, " of 60001") {
		t.Errorf("after growth the last line is %q", got)
	}
	before := status(v)
	v.View(60, 11, theme.NoColor())
	for v.Step() {
	}
	if got := status(v); got == before {
		for v.Step() {
		}
	}
	for v.Step() {
	}
	if got := status(v); !strings.Contains(got, " of 60001") {
		t.Errorf("after a resize the last line is %q", got)
	}
}

// found returns the texts of the matches in rows.
// TestHighlight checks the styles of matches.
