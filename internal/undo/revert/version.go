package revert

import (
	"io"

	"pollux/internal/undo/patch"
	"pollux/internal/undo/state"
)

// Data returns the content of the version: that of a file, the target of a link, nothing for a directory and a path that does
// not exist. It is not ok if the content has more than most bytes, or is not kept.
func (v *Version) Data(most int64) (data []byte, ok bool) {
	switch v.State.Kind {
	case state.Absent, state.Directory:
		return nil, true
	case state.Link:
		return []byte(v.Target), true
	}
	if v.State.Size == 0 && !v.IsLost() {
		return nil, true
	}
	if v.Place.IsNowhere() || v.State.Size > most {
		return nil, false
	}
	f, err := v.Place.Open()
	if err != nil {
		return nil, false
	}
	defer f.Close()
	data, err = io.ReadAll(io.LimitReader(f, most))
	return data, err == nil && int64(len(data)) == v.State.Size
}

// ForPatch returns the version as a patch takes it.
func (v *Version) ForPatch() patch.Version { return patch.Version{Version: v.Version, Place: v.Place} }
