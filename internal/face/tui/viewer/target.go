package viewer

import (
	"fmt"
	"strings"

	"pollux/internal/face/tui/viewer/conversation"
	"pollux/internal/terminal"
	"pollux/internal/wording"
	"pollux/tool"
)

// target is the part of the conversation that the keys copy: a code block of an item, or all of it.
type target struct {
	item  int
	code  int // the number of the block, 0 for the item
	isSet bool
}

// has reports whether a row belongs to the target.
func (t target) has(r shownRow) bool {
	return t.isSet && r.item == t.item && !r.IsGap && (t.code == 0 || t.code == r.Code)
}

// codes returns the code blocks on the screen.
func (v *Viewer) codes() (list []target) {
	for _, r := range v.shown {
		if r.Code > 0 && (len(list) == 0 || !list[len(list)-1].has(r)) {
			list = append(list, target{r.item, r.Code, true})
		}
	}
	return list
}

// target returns the chosen code block, if it is on the screen; else the first one there, at the end of the conversation the
// last one; else the item.
func (v *Viewer) target() target {
	list := v.codes()
	for _, t := range list {
		if t == v.chosen {
			return t
		}
	}
	if n := len(list); n > 0 && v.atEnd {
		return list[n-1]
	} else if n > 0 {
		return list[0]
	}
	t := target{}
	for _, r := range v.shown {
		if !r.IsGap && (!t.isSet || v.atEnd) {
			t = target{item: r.item, isSet: true}
		}
	}
	if !t.isSet && len(v.shown) > 0 { // a gap alone is on the screen
		t = target{item: v.shown[0].item, isSet: true}
	}
	return t
}

// choose makes another code block on the screen the target.
func (v *Viewer) choose(step int) {
	list := v.codes()
	if len(list) < 2 {
		v.notice = "No other code block is on the screen."
		return
	}
	current := v.target()
	for i, t := range list {
		if t == current {
			v.chosen = list[(i+step+len(list))%len(list)]
			return
		}
	}
}

// copyTarget returns the text of the target.
func (v *Viewer) copyTarget() Outcome {
	t := v.target()
	switch {
	case !t.isSet:
		return Ignored{}
	case t.code > 0:
		return v.copied(v.sheet.document(t.item).Code(t.code), "the code block")
	}
	item := v.sheet.conversation.Item(t.item)
	return v.copied(copyText(item), "the "+nameOf(item.Kind))
}

// copyAnswer returns the text of the answer nearest to the target: that item, or the next answer before the next prompt, or
// the last one.
func (v *Viewer) copyAnswer() Outcome {
	t := v.target()
	c := v.sheet.conversation
	if !t.isSet {
		return Ignored{}
	}
	for i := t.item; i < c.Len() && (i == t.item || c.Kind(i) != conversation.Prompt); i++ {
		if c.Kind(i) == conversation.Answer {
			return v.copied(copyText(c.Item(i)), "the answer")
		}
	}
	for i := t.item; i >= 0; i-- {
		if c.Kind(i) == conversation.Answer {
			return v.copied(copyText(c.Item(i)), "the answer")
		}
	}
	v.notice = "There is no answer yet."
	return Changed{}
}

// edit returns the text of the item of the target for the editor.
func (v *Viewer) edit() Outcome {
	t := v.target()
	if !t.isSet {
		return Ignored{}
	}
	return EditorWanted{wholeText(v.sheet.conversation.Item(t.item))}
}

func (v *Viewer) copied(text, name string) Outcome {
	v.notice = fmt.Sprintf("Copied %s: %s.", name, wording.Count(strings.Count(text, "\n")+1, "line"))
	return Copied{text}
}

// nameOf returns the name of a kind of items for people.
func nameOf(k conversation.Kind) string {
	switch k {
	case conversation.Prompt:
		return "prompt"
	case conversation.Note:
		return "note"
	case conversation.Thought:
		return "thought"
	case conversation.Call:
		return "result"
	}
	return "answer"
}

// copyText returns the text of an item, clean; of a call, its change of a file or its result, or its arguments if there is no
// result.
func copyText(item conversation.Item) string {
	text := item.Text
	if c := item.Call; c != nil {
		text = resultText(c)
		if text == "" {
			text = conversation.ArgumentsText(c.Args)
		}
	}
	return terminal.Text(strings.TrimRight(text, "\n"))
}

func resultText(c *conversation.CallItem) string {
	if d, ok := c.Display.(*tool.DiffDisplay); ok && d.Diff != "" {
		return d.Diff
	}
	return c.Output
}

// wholeText returns all of an item, clean.
func wholeText(item conversation.Item) string {
	text := strings.TrimLeft(item.Subject+"\n\n"+item.Text, "\n")
	if c := item.Call; c != nil {
		text = strings.TrimRight(c.Name+"  "+c.Description, " ") + "\n\n" + conversation.ArgumentsText(c.Args) + "\n" + resultText(c)
	}
	return terminal.Text(strings.TrimRight(text, "\n") + "\n")
}
