//go:build linux || darwin

package acceptance

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestCodeIsCopied checks that the rows of a block of code in the scrollback are its source: selecting them copies no borders,
// numbers or indentation of Pollux, and a line wider than the window is one line.
func TestCodeIsCopied(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(17, 1))
	var blocks [][]string
	var answer strings.Builder
	for n := range 12 {
		block := code(n, random)
		blocks = append(blocks, block)
		language := []string{"", "go", "python", "nonsense", "diff"}[n%5]
		fmt.Fprintf(&answer, "Block %d:\n\n```%s\n%s\n```\n\n", n, language, strings.Join(block, "\n"))
	}
	d := sitInTmux(t, "turn\n  "+strings.Join(chunks(answer.String(), random), "\n  ")+"\n  text \"The end.\"\n", "RUN; echo left with $?; exec cat")
	d.send("Write code.")
	d.see("The end.")
	d.idle()
	rows := d.Whole() // lines that tmux has wrapped are one, as in its selection
	d.leave()
	for n, block := range blocks {
		at := slices.IndexFunc(rows, func(row string) bool { return strings.HasSuffix(row, fmt.Sprintf("Block %d:", n)) })
		if at < 0 {
			t.Fatalf("block %d is missing:\n%s", n, strings.Join(rows, "\n"))
		}
		got := rows[min(at+2, len(rows)):min(at+2+len(block), len(rows))]
		if !slices.Equal(got, block) {
			t.Errorf("block %d is\n%s\nnot\n%s", n, strings.Join(got, "\n"), strings.Join(block, "\n"))
		}
	}
}

// code returns lines of code, some of them wider than the window, and some blank. They begin and end with one that is not.
func code(n int, random *rand.Rand) (lines []string) {
	for i := range 3 + random.IntN(6) {
		line := strings.Repeat("    ", random.IntN(4)) + fmt.Sprintf("x%d_%d := f(\"%s\") // é中", n, i, strings.Repeat("word ", random.IntN(50)))
		lines = append(lines, line)
		if random.IntN(4) == 0 {
			lines = append(lines, "")
		}
	}
	return append(lines, "}")
}
