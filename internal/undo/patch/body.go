package patch

import (
	"crypto/sha256"
	"io"

	"pollux/internal/undo/content"
	"pollux/internal/undo/state"
)

// body is a version as git has it. The zero body is that of a path that does not exist.
type body struct {
	mode, data string
	problem    string // why the patch cannot have it
}

// load returns a version as git has it.
func (p *writer) load(v Version) body {
	b := body{mode: p.modeOf(v)}
	switch {
	case b.mode == "", v.State.Kind == state.Directory:
		return b
	case v.IsLost():
		b.problem = "its content was not kept: " + v.Lost
		return b
	case v.State.Kind == state.Special:
		b.problem = "it is a FIFO, a socket or a device"
		return b
	case v.State.Kind == state.Link:
		b.data = v.Target
		return b
	case v.State.Size == 0:
		return b
	}
	most := int64(maxShown)
	if p.IsExact {
		most = maxExact
	}
	if v.State.Size > most {
		b.problem = "it has more than " + megabytes(most)
		return b
	}
	if v.Text != nil {
		b.data = *v.Text
		return b
	}
	var ok bool
	if b.data, ok = read(v); !ok {
		b.problem = "its content in the undo log is damaged"
		if v.Way == content.Linked {
			b.problem = "a program has written into the file, of which there was no room for a copy"
		}
	}
	return b
}

// read returns the content of a version, which is not ok if it is no longer the one that was kept.
func read(v Version) (data string, ok bool) {
	if v.Way == content.Linked {
		if now, err := state.Read(v.Place.Path); err != nil || now.Modified != v.State.Modified {
			return "", false
		}
	}
	f, err := v.Place.Open()
	if err != nil {
		return "", false
	}
	defer f.Close()
	all, err := io.ReadAll(io.LimitReader(f, v.State.Size+1))
	isSum := v.Sum == content.Sum{} || v.Sum == content.Sum(sha256.Sum256(all))
	return string(all), err == nil && int64(len(all)) == v.State.Size && isSum
}
