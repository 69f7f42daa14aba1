package history

import "pollux/internal/face/tui/buffer"

// Older replaces the text of a buffer by the next older input, with the cursor at its start. It returns false if there
// is none. The first time it keeps the text as the draft, to which [Inputs.Newer] returns.
func (in *Inputs) Older(b *buffer.Buffer) bool {
	in.fill()
	at := len(in.entries)
	if in.isBrowsing {
		at = in.at
	}
	if at == 0 {
		return false
	}
	in.leave(b)
	in.isBrowsing, in.at = true, at-1
	in.visit(b, b.ToStart)
	return true
}

// Newer replaces the text of a buffer by the next newer input, with the cursor at its end, or by the draft, with the
// cursor as it was. It returns false if the user does not browse.
func (in *Inputs) Newer(b *buffer.Buffer) bool {
	if !in.isBrowsing {
		return false
	}
	in.leave(b)
	if in.at++; in.at < len(in.entries) {
		in.visit(b, b.ToEnd)
		return true
	}
	in.isBrowsing = false
	b.Restore(in.draft)
	return true
}

// Reset ends browsing and drops the edits made meanwhile, and the draft: the user has sent an input.
func (in *Inputs) Reset() {
	in.isBrowsing, in.draft, in.edited, in.shown = false, buffer.Snapshot{}, nil, ""
}

// leave keeps the text of a buffer for the entry that the user leaves, if it was edited, or as the draft.
func (in *Inputs) leave(b *buffer.Buffer) {
	switch {
	case !in.isBrowsing:
		in.draft = b.Snapshot()
	case in.at < len(in.entries) && b.Shown() != in.shown:
		if in.edited == nil {
			in.edited = map[*entry]buffer.Snapshot{}
		}
		in.edited[in.entries[in.at]] = b.Snapshot()
	}
}

// visit writes the entry that the user has come to into a buffer, as the user left it, or else with the cursor where
// place puts it.
func (in *Inputs) visit(b *buffer.Buffer, place func()) {
	e := in.entries[in.at]
	if s, ok := in.edited[e]; ok {
		b.Restore(s)
	} else {
		e.write(b)
		place()
	}
	in.shown = b.Shown()
}

// write replaces the text of a buffer by the entry.
func (e *entry) write(b *buffer.Buffer) {
	if e.sent != nil {
		b.Restore(*e.sent)
		return
	}
	b.SetText(e.text, len(e.text))
}
