//go:build linux || darwin

package acceptance

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pollux/internal/process/processtest"
)

var scrollbackSeed = flag.Uint64("scrollback", 1, "seed of the first conversation of TestScrollback")

// TestScrollback checks that scrollback and screen are the conversation, whatever happens meanwhile: a conversation made at random
// gives the same rows when the user types, pastes, opens the viewer and scrolls the screen away while answers come, as when nothing of
// that happens. For windows that change, package inline has such a test, whose frames do not meet rows that tmux has wrapped already.
// Each part is there once, in its order. A plain run plays two conversations, and POLLUX_LONG=1 forty.
func TestScrollback(t *testing.T) {
	t.Parallel()
	n := uint64(processtest.Times(2, 40))
	for seed := *scrollbackSeed; seed < *scrollbackSeed+n; seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			c := newConversation(rand.New(rand.NewPCG(seed, 8)))
			calm := c.hold(t, nil)
			checkOrder(t, calm, c.parts)
			wild := c.hold(t, rand.New(rand.NewPCG(seed, 9)))
			if !slices.Equal(wild, calm) {
				t.Errorf("the rows are\n%s\nnot\n%s", strings.Join(wild, "\n"), strings.Join(calm, "\n"))
			}
		})
	}
}

// conversation is a conversation with a model, made at random. Its rows are shorter than the narrowest window.
type conversation struct {
	turns [][]string // the answers of the model, by statements of its script
	parts []string   // texts that are each in one row, in their order
}

func newConversation(random *rand.Rand) *conversation {
	c := &conversation{}
	for i := range 3 {
		c.parts = append(c.parts, fmt.Sprintf("> Prompt %d.", i))
		var text strings.Builder
		for j := range 3 + random.IntN(8) {
			c.addBlock(&text, fmt.Sprintf("%d.%d", i, j), random)
		}
		turns := [][]string{chunks(text.String(), random)}
		if count := random.IntN(13); count > 0 {
			turns[0] = append(turns[0], fmt.Sprintf(`call run_shell_command {"command": "seq -f 'S%d.%%g;' %d"}`, i, count))
			for n := range count {
				c.parts = append(c.parts, fmt.Sprintf("S%d.%d;", i, n+1))
			}
			turns = append(turns, nil)
		}
		end := len(turns) - 1
		turns[end] = append(turns[end], fmt.Sprintf(`text "The end %d.\n"`, i))
		c.parts = append(c.parts, fmt.Sprintf("The end %d.", i))
		c.turns = append(c.turns, turns...)
	}
	return c
}

// addBlock adds a block of Markdown to an answer.
func (c *conversation) addBlock(b *strings.Builder, name string, random *rand.Rand) {
	rows := 1 + random.IntN(6)
	row := func(before, mark string) {
		for n := range rows {
			part := fmt.Sprintf("%s%s.%d;", mark, name, n)
			c.parts = append(c.parts, part)
			fmt.Fprintf(b, "%s%s %s\n", before, part, strings.Repeat("word ", random.IntN(6)))
		}
	}
	switch random.IntN(4) {
	case 0:
		row("- ", "L")
	case 1:
		b.WriteString("```\n")
		row("  ", "C")
		b.WriteString("```\n")
	case 2:
		rows = 1
		row("## ", "H")
	default:
		rows = 1
		row("", "P")
	}
	b.WriteString("\n")
}

// chunks returns statements for a text in pieces of random sizes.
func chunks(text string, random *rand.Rand) (statements []string) {
	for rest := []rune(text); len(rest) > 0; {
		n := min(1+random.IntN(40), len(rest))
		statements = append(statements, fmt.Sprintf("text %q", string(rest[:n])))
		rest = rest[n:]
	}
	return statements
}

// hold holds the conversation in tmux, and returns the rows of scrollback and screen that are not blank. With disturb, the model is slow
// and the user restless.
func (c *conversation) hold(t *testing.T, disturb *rand.Rand) []string {
	t.Helper()
	pace := ""
	if disturb != nil {
		pace = "  pace 10ms\n"
	}
	var script strings.Builder
	for _, statements := range c.turns {
		script.WriteString("turn\n" + pace + "  " + strings.Join(statements, "\n  ") + "\n")
	}
	d := sitInTmux(t, script.String(), "RUN --yolo; echo left with $?; exec cat")
	for i := range 3 {
		d.send(fmt.Sprintf("Prompt %d.", i))
		if disturb != nil {
			for range 2 + disturb.IntN(4) {
				d.disturb(disturb)
			}
		}
		d.See("the end of the answer", func(string) bool {
			return slices.ContainsFunc(d.Whole(), func(row string) bool { return strings.Contains(row, fmt.Sprintf("The end %d.", i)) })
		})
		d.idle()
	}
	d.Press("C-l")
	d.See("an input as wide as the window", func(screen string) bool {
		return hasInput(screen, 100) && !strings.Contains(screen, "The end")
	})
	whole := d.Whole()
	d.leave()
	rows := slices.DeleteFunc(whole, func(row string) bool { return row == "" })
	end := slices.IndexFunc(rows, func(row string) bool { return strings.Contains(row, "The end 2.") })
	if n := count(rows[end:], "──────────"); n != 2 {
		t.Errorf("below the conversation is more than the input:\n%s", strings.Join(rows[end:], "\n"))
	}
	return rows[:end+1]
}

// leave ends the session.
func (d tmuxDay) leave() {
	d.Press("C-d")
	d.see("again to exit")
	d.Press("C-d")
	d.see("left with 0")
}

// idle waits until the model is done.
func (d tmuxDay) idle() {
	d.See("the end of the work", func(screen string) bool {
		return strings.Contains(screen, "Type your message") && !strings.Contains(screen, "to cancel")
	})
}

// disturb does something that leaves no row behind.
func (d tmuxDay) disturb(random *rand.Rand) {
	switch random.IntN(4) {
	case 0:
		d.Press("C-l")
	case 1:
		d.Type(strings.Repeat("draft ", 1+random.IntN(40)))
		d.Press("C-u")
	case 2:
		d.Press("C-o") // a conversation without a message has no viewer
		d.Press("q", "C-u")
	case 3:
		d.Paste("a\nb\nc")
		d.Press("BSpace", "BSpace", "BSpace", "BSpace", "BSpace")
	}
}

// hasInput reports whether a screen shows one input of this width.
func hasInput(screen string, width int) bool {
	borders := 0
	for row := range strings.Lines(screen) {
		if strings.HasPrefix(row, "─") {
			borders++
			if strings.TrimSuffix(row, "\n") != strings.Repeat("─", width) {
				return false
			}
		}
	}
	return borders == 2
}

// checkOrder checks that each part is in one row, and behind the part before it.
func checkOrder(t *testing.T, rows, parts []string) {
	t.Helper()
	at := -1
	for _, part := range parts {
		found := slices.IndexFunc(rows, func(row string) bool { return strings.Contains(row, part) })
		if n := count(rows, part); n != 1 || found <= at {
			t.Errorf("%q is in %d rows, and in row %d behind row %d", part, n, found, at)
		}
		at = found
	}
	if t.Failed() {
		t.Log(strings.Join(rows, "\n"))
	}
}
