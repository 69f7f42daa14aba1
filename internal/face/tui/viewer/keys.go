package viewer

import (
	"sort"

	"pollux/internal/face/tui/keys"
)

// wheelRows is the number of rows that a step of the mouse wheel moves.
const wheelRows = 3

// Handle takes a key, a paste or an action of the mouse.
func (v *Viewer) Handle(e keys.Event, b *keys.Bindings) Outcome {
	if m, ok := e.(keys.Mouse); ok {
		return v.turnWheel(m)
	}
	k, isKey := e.(keys.Key)
	if isKey {
		v.notice = ""
	}
	switch {
	case v.isTyping:
		return v.typeSearch(e, b)
	case !isKey:
		return Ignored{}
	case k.Text != "":
		return v.press(k.Text)
	}
	return v.command(k.Chord, b)
}

func (v *Viewer) turnWheel(m keys.Mouse) Outcome {
	switch {
	case m.Kind == keys.MouseWheel && m.Button == keys.WheelUp:
		v.scroll(-wheelRows)
	case m.Kind == keys.MouseWheel && m.Button == keys.WheelDown:
		v.scroll(wheelRows)
	default:
		return Ignored{}
	}
	return Changed{}
}

// command handles a key that types nothing.
func (v *Viewer) command(c keys.Chord, b *keys.Bindings) Outcome {
	command, _ := b.Match(c, keys.BasicCancel, keys.AppShowMoreLines, keys.ScrollUp, keys.ScrollDown, keys.ScrollPageUp,
		keys.ScrollPageDown, keys.ScrollHome, keys.ScrollEnd, keys.NavUp, keys.NavDown, keys.CursorHome, keys.CursorEnd,
		keys.NavDialogNext, keys.NavDialogPrevious)
	switch command {
	case keys.BasicCancel, keys.AppShowMoreLines:
		return Closed{}
	case keys.ScrollUp, keys.NavUp:
		v.scroll(-1)
	case keys.ScrollDown, keys.NavDown:
		v.scroll(1)
	case keys.ScrollPageUp:
		v.scroll(-v.page())
	case keys.ScrollPageDown:
		v.scroll(v.page())
	case keys.ScrollHome, keys.CursorHome:
		v.jump(place{})
	case keys.ScrollEnd, keys.CursorEnd:
		v.showEnd()
	case keys.NavDialogNext:
		v.choose(1)
	case keys.NavDialogPrevious:
		v.choose(-1)
	default:
		return Ignored{}
	}
	return Changed{}
}

// press handles a key that types a character.
func (v *Viewer) press(text string) Outcome {
	switch text {
	case "q":
		return Closed{}
	case "c":
		return v.copyTarget()
	case "y":
		return v.copyAnswer()
	case "e":
		return v.edit()
	case "j":
		v.scroll(1)
	case "k":
		v.scroll(-1)
	case " ":
		v.scroll(v.page())
	case "b":
		v.scroll(-v.page())
	case "g":
		v.jump(place{})
	case "G":
		v.showEnd()
	case "/":
		v.beginSearch()
	case "n":
		v.want(forward)
	case "N":
		v.want(backward)
	case "p":
		v.showPrompt(-1)
	case "P":
		v.showPrompt(1)
	default:
		return Ignored{}
	}
	return Changed{}
}

// page returns the number of rows of a page: all but one of those on the screen.
func (v *Viewer) page() int { return max(v.height-1, 1) }

// showPrompt brings the previous or the next prompt to the first row.
func (v *Viewer) showPrompt(step int) {
	prompts := v.sheet.conversation.Prompts()
	// A prompt is before the place if its first row is.
	i := sort.Search(len(prompts), func(i int) bool { return v.promptPlace(prompts[i]).compare(v.top) >= 0 })
	switch {
	case step < 0 && i == 0:
		v.notice = "There is no earlier prompt."
		return
	case step < 0:
		i--
	case i < len(prompts) && v.promptPlace(prompts[i]) == v.top:
		i++
	}
	if i == len(prompts) || step > 0 && v.atEnd {
		v.notice = "There is no later prompt."
		return
	}
	v.jump(v.promptPlace(prompts[i]))
}

// promptPlace returns the place of the first row of a prompt, behind the gap.
func (v *Viewer) promptPlace(item int) place {
	if item == 0 {
		return place{}
	}
	return place{item: item, row: 1}
}
