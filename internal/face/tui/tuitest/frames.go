package tuitest

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// endOfFrame ends a frame of a program that a terminal of the manner [Framed] shows at once.
const endOfFrame = "\x1b[?2026l"

// frames shows output frame by frame, and checks each.
type frames struct {
	check   func(e *Emulator) error // nil for none
	ahead   []byte                  // the beginning of endOfFrame, which may go on in the next output
	frame   []byte                  // the beginning of the frame, while isStale is set
	checked int                     // frames
	failure error                   // of the first frame that is not as it should be
	isStale bool                    // the terminal has another size since the last frame that fits it
}

// show shows output on a terminal, and checks it at the end of each frame.
func (f *frames) show(e *Emulator, output []byte) {
	output = append(f.ahead, output...)
	for {
		end := bytes.Index(output, []byte(endOfFrame))
		if end < 0 {
			break
		}
		end += len(endOfFrame)
		f.write(e, output[:end])
		output = output[end:]
		f.look(e)
	}
	n := 0
	for i := 1; i < len(endOfFrame); i++ {
		if bytes.HasSuffix(output, []byte(endOfFrame[:i])) {
			n = i
		}
	}
	f.write(e, output[:len(output)-n])
	f.ahead = bytes.Clone(output[len(output)-n:])
}

func (f *frames) write(e *Emulator, output []byte) {
	_, _ = e.Write(output) // it does not fail
	if f.check != nil && f.isStale {
		f.frame = append(f.frame, output...)
	}
}

// look checks the frame on the screen. Those before the first one that draws an input for the size of the terminal count for nothing: they
// were on their way when the size changed, and may have cells only that differ from the frames before.
func (f *frames) look(e *Emulator) {
	if f.check == nil || f.failure != nil {
		return
	}
	if f.isStale {
		isWhole := borders(string(f.frame), e.Width()) == 2
		if f.frame = f.frame[:0]; !isWhole {
			return
		}
		f.isStale = false
	}
	f.checked++
	if err := f.check(e); err != nil {
		f.failure = fmt.Errorf("frame %d: %w:\n%s", f.checked, err, strings.Join(e.Rows(), "\n"))
	}
}

// borders returns how many borders of an input in a terminal of this width a text has.
func borders(text string, width int) (n int) {
	for run := range strings.FieldsFuncSeq(text, func(r rune) bool { return !strings.ContainsRune("▄▀─", r) }) {
		if isBorder(run, width) {
			n++
		}
	}
	return n
}

// isBorder reports whether a row is the first one of the input, or the last one, in a terminal of this width.
func isBorder(row string, width int) bool {
	return row == strings.Repeat("▄", width) || row == strings.Repeat("▀", width) || row == strings.Repeat("─", width)
}

// checkInput checks that the screen shows one input with something in each row, and that the cursor is where the next letter
// appears: behind the draft, or at the beginning of an empty one.
func checkInput(e *Emulator) error {
	rows := e.Rows()
	var borders []int
	for y, row := range rows {
		if isBorder(row, e.Width()) {
			borders = append(borders, y)
		}
	}
	if len(borders) != 2 || borders[1] == borders[0]+1 {
		return fmt.Errorf("the input has its borders in the rows %d", borders)
	}
	input := rows[borders[0]+1 : borders[1]]
	if i := slices.Index(input, ""); i >= 0 {
		return fmt.Errorf("row %d of the input is blank", i)
	}
	if !strings.HasPrefix(input[0], "> ") && !strings.HasPrefix(input[0], "* ") && input[0] != ">" && input[0] != "*" {
		return errors.New("the input has no mark")
	}
	column := 2
	last := input[len(input)-1]
	if !strings.Contains(last, "Type your message") {
		column = max(column, ansi.StringWidth(last))
	}
	if at := e.CursorPosition(); at.Y != borders[1]-1 || at.X != min(column, e.Width()-1) {
		return fmt.Errorf("the cursor is at %d, %d, not at %d, %d", at.X, at.Y, column, borders[1]-1)
	}
	return nil
}
