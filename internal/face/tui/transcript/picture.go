package transcript

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"pollux/internal/face/kit"
	"pollux/internal/face/tui/styled"
	"pollux/llm"
	"pollux/tool"
)

// Picture is an image of the conversation: a file, or data.
type Picture struct {
	Path string // as the prompt mentions it; "" for data
	Name string // for people, clean
	Data []byte
}

// maxPictures is the number of images of a result that are shown.
const maxPictures = 4

// addPictures adds images below an item, nil for the last one. Later items wait for them.
func (t *Transcript) addPictures(below *item, pictures []Picture) {
	at := slices.Index(t.queue, below) + 1
	if at == 0 {
		at = len(t.queue)
	}
	for i, p := range pictures {
		it := &item{isTight: true, isOpen: true}
		t.queue = slices.Insert(t.queue, at+i, it)
		t.Options.Picture(p, func(lines []styled.Line) {
			it.isOpen = false
			t.put(it, lines)
		})
	}
}

// DropPictures ends the wait for images that are not there yet.
func (t *Transcript) DropPictures() {
	for _, it := range t.queue {
		if it.isTight {
			it.isOpen = false
		}
	}
	t.settle()
}

// picturesOf returns the images of the result of a call.
func (t *Transcript) picturesOf(c *call, r *tool.Result) (pictures []Picture) {
	if r == nil || t.Options.Picture == nil {
		return nil
	}
	for _, part := range r.Content {
		data := dataOf(part)
		if data == nil || len(pictures) == maxPictures {
			continue
		}
		name := cmp.Or(c.Summary, t.title(c.Name))
		if len(pictures) > 0 {
			name = fmt.Sprintf("%s (%d)", name, len(pictures)+1)
		}
		pictures = append(pictures, Picture{Name: kit.Brief(name), Data: data})
	}
	return pictures
}

// dataOf returns the image of a part, nil if it is none.
func dataOf(part llm.Part) []byte {
	if m := part.InlineData; m != nil && strings.HasPrefix(m.MIMEType, "image/") {
		return m.Data
	}
	return nil
}
