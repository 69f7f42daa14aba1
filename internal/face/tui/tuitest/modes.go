package tuitest

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// modes are the modes of a terminal that a program has changed, read from its output.
type modes struct {
	parser *ansi.Parser
	on     map[int]bool // private modes that are set
	kitty  [2][]int     // the stacks of kitty's keyboard protocol, with their flags: of the main screen and of the other one
	popped int          // entries that were taken from an empty one of them
	other  bool         // modifyOtherKeys
	titles int          // titles put aside
	clears int          // erasures of the whole main screen or the scrollback
	isHome bool         // the cursor was sent to the first cell, and has not left it
}

// normalModes are the private modes that are set in a new terminal: line wrap and the cursor.
var normalModes = map[int]bool{ansi.ModeAutoWrap.Mode(): true, ansi.ModeTextCursorEnable.Mode(): true}

func newModes() *modes {
	m := &modes{parser: ansi.NewParser(), on: maps.Clone(normalModes)}
	left := func() { m.isHome = false }
	m.parser.SetHandler(ansi.Handler{
		HandleCsi: m.control, HandleEsc: m.escape,
		Print: func(rune) { left() }, Execute: func(byte) { left() },
	})
	return m
}

// Write reads output. A sequence may go on in the next call.
func (m *modes) Write(b []byte) {
	for _, c := range b {
		m.parser.Advance(c)
	}
}

// escape takes an escape sequence. A reset erases the screen.
func (m *modes) escape(cmd ansi.Cmd) {
	if cmd == 'c' {
		m.clears++
	}
}

// control takes a control sequence.
func (m *modes) control(cmd ansi.Cmd, params ansi.Params) {
	first, _, _ := params.Param(0, 0)
	column, _, _ := params.Param(1, 1)
	isAtHome := m.isHome
	m.isHome = (cmd == 'H' || cmd == 'f') && first <= 1 && column <= 1
	switch {
	case cmd.Prefix() == '?' && (cmd.Final() == 'h' || cmd.Final() == 'l') && cmd.Intermediate() == 0:
		for i := range params {
			n, _, _ := params.Param(i, 0)
			m.on[n] = cmd.Final() == 'h'
		}
	case cmd.Final() == 'u':
		m.controlKeys(cmd.Prefix(), first)
	case cmd.Prefix() == '>' && cmd.Final() == 'm' && first == 4:
		level, _, _ := params.Param(1, 0)
		m.other = level > 0
	case cmd == 't' && first == 22:
		m.titles++
	case cmd == 't' && first == 23:
		m.titles--
	case cmd == 'J' && (first >= 2 || first == 0 && isAtHome) && !m.on[ansi.ModeAltScreenSaveCursor.Mode()]:
		m.clears++
	}
}

// controlKeys takes a control sequence of kitty's keyboard protocol.
func (m *modes) controlKeys(prefix byte, flags int) {
	stack := &m.kitty[0]
	if m.on[ansi.ModeAltScreenSaveCursor.Mode()] {
		stack = &m.kitty[1]
	}
	top := len(*stack) - 1
	switch {
	case prefix == '>':
		*stack = append(*stack, flags)
	case prefix == '<' && top < 0:
		m.popped++
	case prefix == '<':
		*stack = (*stack)[:top]
	case prefix == '=' && top >= 0:
		(*stack)[top] = flags
	}
}

// check returns an error that lists the modes which differ from those of a new terminal, or an error about erasures of the screen.
func (m *modes) check() error {
	var left []string
	for _, n := range slices.Sorted(maps.Keys(m.on)) {
		if m.on[n] != normalModes[n] {
			left = append(left, fmt.Sprintf("?%d is %t", n, m.on[n]))
		}
	}
	if isSet := func(flags int) bool { return flags != 0 }; len(m.kitty[0]) > 0 || slices.ContainsFunc(m.kitty[1], isSet) || m.popped > 0 {
		left = append(left, fmt.Sprintf("kitty's keys: %v, %d too many ended", m.kitty, m.popped))
	}
	if m.other {
		left = append(left, "modifyOtherKeys")
	}
	if m.titles != 0 {
		left = append(left, fmt.Sprintf("titles put aside: %d", m.titles))
	}
	if left == nil && m.clears > 0 {
		return fmt.Errorf("the whole screen was erased %d times", m.clears)
	}
	if left == nil {
		return nil
	}
	return fmt.Errorf("the terminal is left with other modes: %s", strings.Join(left, ", "))
}

// storm returns n sizes of a window, with widths from 1 to 300.
func storm(n int) (sizes [][2]int) {
	for i := range n {
		sizes = append(sizes, [2]int{1 + (i*7919)%300, 1 + (i*104729)%100})
	}
	return sizes
}

// chunked returns a text of this size in lines of 64 bytes.
func chunked(size int) string {
	return strings.Repeat(strings.Repeat("x", 63)+"\n", size/64)
}
