package revert

import (
	"errors"

	"pollux/internal/undo/merge"
	"pollux/internal/undo/patch"
	"pollux/internal/undo/state"
	"pollux/internal/undo/store"
)

// ownChange returns the change of a step without the lines that others have changed between the operations. If these cannot be separated,
// all are in it, and a note says so.
func (s *Step) ownChange() patch.Change {
	c := patch.Change{Path: s.Path, Before: s.To.ForPatch(), After: s.From.ForPatch()}
	if s.parts == nil || s.Merges {
		return c
	}
	after, err := s.ownAfter()
	if err != nil {
		c.Note = "it was changed between the calls, too, and these changes cannot be separated: " + err.Error()
		return c
	}
	c.After = after
	return c
}

// ownAfter returns the version that the operations alone would have left.
func (s *Step) ownAfter() (v patch.Version, err error) {
	oldest := len(s.parts) - 1
	text, isFile := "", false
	for i := oldest; i >= 0; i-- {
		before, after := &s.parts[i].to, &s.parts[i].from
		if after.State.Kind == state.Absent {
			v, isFile = patch.Version{}, false
			continue
		}
		if after.State.Kind != state.Regular || i < oldest && (!isFile || before.State.Kind != state.Regular) {
			return v, errors.New("it was not always a file")
		}
		theirs, err := after.text()
		if err != nil {
			return v, err
		}
		mode := after.State.Mode
		if i == oldest {
			text = theirs
		} else {
			base, err := before.text()
			if err != nil {
				return v, err
			}
			merged, conflicts, err := merge.Contents(base, text, theirs)
			if err == nil && len(conflicts) > 0 {
				err = errors.New("they are in the same lines")
			}
			if err != nil {
				return v, err
			}
			text = merged
			if before.State.Mode == after.State.Mode {
				mode = v.State.Mode
			}
		}
		isFile = true
		v = patch.Version{Version: store.Version{State: state.State{Kind: state.Regular, Mode: mode, Size: int64(len(text))}}}
	}
	if isFile {
		v.Text = &text
	}
	return v, nil
}
