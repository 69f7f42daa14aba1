// Package choice has a list from which the user chooses an item, with the arrow keys or by its number.
package choice

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/theme"
)

// Item is an item to choose. Its texts are clean.
type Item struct {
	Label  string
	Detail string // shown faint behind the label, "" for none
	// Number is the number to type for the item, 0 for its position. Numbers ascend; a list may leave some out, so that the others stay
	// what the user is used to.
	Number int
	// WhyNot is the reason for which the item cannot be chosen, shown in place of the detail. "" if it can.
	WhyNot string
}

// List is a list of items, of which one is selected. The first one is, to begin with, that can be chosen. A list without
// items chooses nothing.
type List struct {
	// HasNumbers shows the numbers of items, and lets the user type them.
	HasNumbers bool

	items    []Item
	selected int
	top      int    // the first item that is shown
	typed    string // digits of a number to which more may follow
}

// New returns a list.
func New(items []Item) *List {
	l := &List{items: items, HasNumbers: true}
	if len(items) > 0 && items[0].WhyNot != "" {
		l.move(1)
	}
	return l
}

// Action is the effect of a key.
type Action uint8

// Actions.
const (
	Ignored  Action = iota // the list has no use for the key
	Changed                // the selection may have changed
	Chosen                 // the selected item is chosen
	Canceled               // the user wants none
)

// NumberWait is the time to wait for another digit of a number before [List.Expire].
const NumberWait = time.Second

// Handle takes a key.
func (l *List) Handle(k keys.Key, b *keys.Bindings) Action {
	if l.HasNumbers && len(k.Text) == 1 && k.Text[0] >= '0' && k.Text[0] <= '9' {
		return l.typeDigit(k.Text)
	}
	l.typed = ""
	command, _ := b.Match(k.Chord, keys.BasicConfirm, keys.BasicCancel, keys.NavDialogUp, keys.NavDialogDown,
		keys.ScrollPageUp, keys.ScrollPageDown, keys.ScrollHome, keys.ScrollEnd, keys.CursorHome, keys.CursorEnd)
	const page = 8
	switch command {
	case keys.BasicConfirm:
		return l.choose()
	case keys.BasicCancel:
		return Canceled
	case keys.NavDialogUp:
		l.move(-1)
	case keys.NavDialogDown:
		l.move(1)
	case keys.ScrollPageUp:
		l.jump(l.selected-page, 1)
	case keys.ScrollPageDown:
		l.jump(l.selected+page, -1)
	case keys.ScrollHome, keys.CursorHome:
		l.jump(0, 1)
	case keys.ScrollEnd, keys.CursorEnd:
		l.jump(len(l.items)-1, -1)
	default:
		return Ignored
	}
	return Changed
}

// typeDigit takes a digit of an item's number. It chooses the item once no longer number is possible.
func (l *List) typeDigit(digit string) Action {
	l.typed += digit
	found, hasMore := -1, false
	for i := range l.items {
		number := strconv.Itoa(l.number(i))
		if number == l.typed && l.items[i].WhyNot == "" {
			found = i
		}
		hasMore = hasMore || number != l.typed && strings.HasPrefix(number, l.typed)
	}
	switch {
	case found < 0:
		if !hasMore {
			l.typed = ""
		}
		return Changed
	case hasMore:
		l.selected = found
		return Changed
	}
	l.selected = found
	return l.choose()
}

// number returns the number to type for an item.
func (l *List) number(i int) int { return cmp.Or(l.items[i].Number, i+1) }

// IsWaiting reports whether the list waits [NumberWait] for another digit.
func (l *List) IsWaiting() bool { return l.typed != "" }

// Expire ends the wait for another digit: the number that was typed is complete.
func (l *List) Expire() Action {
	if l.typed == "" || strconv.Itoa(l.number(l.selected)) != l.typed {
		l.typed = ""
		return Ignored
	}
	return l.choose()
}

func (l *List) choose() Action {
	l.typed = ""
	if len(l.items) == 0 || l.items[l.selected].WhyNot != "" {
		return Ignored
	}
	return Chosen
}

// Selected returns the index of the selected item, -1 in an empty list.
func (l *List) Selected() int {
	if len(l.items) == 0 {
		return -1
	}
	return l.selected
}

// Select selects an item.
func (l *List) Select(i int) {
	if i >= 0 && i < len(l.items) {
		l.selected, l.typed = i, ""
	}
}

// move selects the next item in a direction that can be chosen. The first item follows the last one.
func (l *List) move(step int) {
	for i, n := l.selected, len(l.items); n > 0; {
		i = (i + step + n) % n
		if l.items[i].WhyNot == "" {
			l.selected = i
			return
		}
		if i == l.selected {
			return
		}
	}
}

// jump selects the item at i, or the next one in a direction that can be chosen.
func (l *List) jump(i, step int) {
	for i = max(0, min(i, len(l.items)-1)); i >= 0 && i < len(l.items); i += step {
		if l.items[i].WhyNot == "" {
			l.selected = i
			return
		}
	}
}

// Lines returns at most height lines of the list, the selected item among them, each at most width columns wide. If items
// are hidden, the last line tells the position.
func (l *List) Lines(width, height int, t theme.Theme) []styled.Line {
	if len(l.items) == 0 || height < 1 {
		return nil
	}
	blocks := make([][]styled.Line, len(l.items))
	total := 0
	for i := range l.items {
		blocks[i] = l.item(i, width, t)
		total += len(blocks[i])
	}
	if total <= height {
		l.top = 0
		return concat(blocks, height)
	}
	room := max(height-1, 1)
	l.scroll(blocks, room)
	lines := concat(blocks[l.top:], room)
	if height > 1 {
		lines = append(lines, l.position(width, t))
	}
	return lines
}

// scroll moves the top so that the selected item is among the first rows lines from there.
func (l *List) scroll(blocks [][]styled.Line, rows int) {
	l.top = min(l.top, l.selected)
	for used := 0; ; l.top++ {
		used = 0
		for _, b := range blocks[l.top : l.selected+1] {
			used += len(b)
		}
		if used <= rows || l.top == l.selected {
			break
		}
	}
	for l.top > 0 { // no room stays unused at the end
		rest := len(blocks[l.top-1])
		for _, b := range blocks[l.top:] {
			rest += len(b)
		}
		if rest > rows {
			return
		}
		l.top--
	}
}

func (l *List) position(width int, t theme.Theme) styled.Line {
	text := "(" + strconv.Itoa(l.selected+1) + "/" + strconv.Itoa(len(l.items)) + ")"
	return styled.Of(text, t.Secondary()).Cut(width)
}

// item returns the lines of an item.
func (l *List) item(i, width int, t theme.Theme) []styled.Line {
	item, style, marker := l.items[i], t.Text(), "  "
	switch {
	case item.WhyNot != "":
		style = t.Secondary()
	case i == l.selected:
		style, marker = t.Selected(), "❯ "
	}
	if l.HasNumbers {
		number := strconv.Itoa(l.number(i))
		marker += strings.Repeat(" ", len(strconv.Itoa(l.number(len(l.items)-1)))-len(number)) + number + ". "
	}
	line := styled.Line{{Text: marker + item.Label, Style: style}}
	if detail := cmp.Or(item.WhyNot, item.Detail); detail != "" {
		line = append(line, styled.Span{Text: "  " + detail, Style: t.Secondary()})
	}
	indent := styled.Plain(strings.Repeat(" ", len([]rune(marker))))
	if width < 2*len([]rune(marker)) {
		indent = nil
	}
	return line.Wrap(width, indent)
}

// concat returns the first lines of all blocks.
func concat(blocks [][]styled.Line, most int) (lines []styled.Line) {
	for _, b := range blocks {
		if lines = append(lines, b...); len(lines) >= most {
			return lines[:most]
		}
	}
	return lines
}
