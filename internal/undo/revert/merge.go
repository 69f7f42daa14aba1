package revert

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"pollux/internal/undo/content"
	"pollux/internal/undo/merge"
	"pollux/internal/undo/state"
	"pollux/internal/undo/store"
)

// maxMerged is the size of the largest content that is merged, in bytes.
const maxMerged = 16 << 20

// part is a change by operations between which no one else has changed the path.
type part struct{ from, to Version }

// follow adds the change of an older operation, from before to after.
func (s *Step) follow(before, after Version) {
	isNext := isEqual(&s.To, &after) || isIndexOf(s.Path, s.To, after)
	if !isNext && s.Problem == "" {
		s.Problem, s.IsOverwritable = "it was changed between the calls", true
		s.parts = []part{{s.From, s.To}}
	}
	s.To = before
	switch {
	case !isNext:
		s.parts = append(s.parts, part{after, before})
	case s.parts != nil:
		s.parts[len(s.parts)-1].to = before
	}
}

// changes returns the changes of the operations, the newest first.
func (s *Step) changes() []part {
	if s.parts != nil {
		return s.parts
	}
	return []part{{s.From, s.To}}
}

// Merge makes the plan change the text files that others have changed since, too, and keep those changes: of the lines,
// only those of the operations go back. A file in which both have changed the same lines stays as it is.
func (p *Plan) Merge(ctx context.Context) error {
	steps := p.Steps[:0]
	for _, s := range p.Steps {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !s.IsOverwritable {
			steps = append(steps, s)
			continue
		}
		ours, text, err := s.mergeNow()
		switch {
		case err != nil:
			s.Problem = err.Error()
		case ours == text && s.mergedState(s.now, 0).HasAttributes(s.now):
			continue
		default:
			s.parts = s.changes()
			s.Problem, s.Merges, s.To = "", true, Version{Version: store.Version{State: s.mergedState(s.now, len(text))}}
		}
		steps = append(steps, s)
	}
	p.Steps = steps
	return nil
}

// mergeNow returns the text that is there, and the merged one.
func (s *Step) mergeNow() (ours, text string, err error) {
	switch {
	case strings.Contains(slashed(s.Path), "/.git/"):
		return "", "", errors.New("it was changed since, and belongs to a git repository: it cannot be merged")
	case s.now.Kind == state.Absent:
		return "", "", errors.New("it was deleted since: there is nothing to merge with")
	case s.now.Kind != state.Regular:
		return "", "", errors.New("it is no file any more: it cannot be merged")
	}
	for _, c := range s.changes() {
		switch {
		case c.to.State.Kind == state.Absent:
			return "", "", errors.New("it was changed since, and an undo deletes it: it cannot be merged")
		case c.from.State.Kind == state.Absent:
			return "", "", errors.New("it was deleted, and made again since: it cannot be merged")
		case c.from.State.Kind != state.Regular || c.to.State.Kind != state.Regular:
			return "", "", errors.New("it was changed since, and was not always a file: it cannot be merged")
		}
	}
	if ours, err = readText(content.Place{Path: s.Path}, s.now.Size); err == nil {
		text, err = s.mergeWith(ours)
	}
	return ours, text, err
}

// mergeWith merges the changes of the operations, taken back, with a text.
func (s *Step) mergeWith(text string) (string, error) {
	for _, c := range s.changes() {
		base, err := c.from.text()
		if err != nil {
			return "", err
		}
		theirs, err := c.to.text()
		if err != nil {
			return "", err
		}
		merged, conflicts, err := merge.Contents(base, text, theirs)
		if err != nil {
			return "", fmt.Errorf("it was changed since, and cannot be merged: %w", err)
		}
		if len(conflicts) > 0 {
			return "", errors.New("the same lines were changed since: " + describe(conflicts))
		}
		text = merged
	}
	return text, nil
}

// describe names the places of conflicts.
func describe(conflicts []merge.Range) string {
	const most = 5
	var list []string
	for i, c := range conflicts {
		switch {
		case i == most:
			return strings.Join(list, ", ") + fmt.Sprintf(" and %d more", len(conflicts)-most)
		case c.Last < c.First:
			list = append(list, fmt.Sprintf("before %d", c.First))
		case c.Last == c.First:
			list = append(list, fmt.Sprint(c.First))
		default:
			list = append(list, fmt.Sprintf("%d-%d", c.First, c.Last))
		}
	}
	return strings.Join(list, ", ")
}

// mergedState returns the state of the merged file of a size. Of its attributes, those go back that no one else has
// changed.
func (s *Step) mergedState(now state.State, size int) state.State {
	out := state.State{Kind: state.Regular, Mode: now.Mode, Owner: now.Owner, Group: now.Group, Size: int64(size), Modified: time.Now().UnixNano()}
	for _, c := range s.changes() {
		from, to := c.from.State, c.to.State
		if out.Mode == from.Mode {
			out.Mode = to.Mode
		}
		if out.Owner == from.Owner && out.Group == from.Group {
			out.Owner, out.Group = to.Owner, to.Group
		}
	}
	return out
}

// noteMerged adds the merged content to an operation that has the content which was there.
func (s *Step) noteMerged(w *store.Writer, before *store.Version) (v store.Version, err error) {
	ours, err := w.Read(before.Content)
	var text string
	if err == nil {
		text, err = s.mergeWith(string(ours))
	}
	if err != nil {
		return v, errChanged // after the plan was made
	}
	v.State = s.mergedState(before.State, len(text))
	if text != "" {
		v.Way, v.Sum = content.Copied, sha256.Sum256([]byte(text))
		v.Content, err = w.Create(int64(len(text)), func(to io.Writer) (int64, error) {
			n, err := io.WriteString(to, text)
			return int64(n), err
		})
	}
	return v, err
}

// text returns the content of a version that is a file, as text.
func (v *Version) text() (string, error) {
	switch {
	case v.IsLost():
		return "", errors.New("its content was not kept: " + v.Lost)
	case v.State.Size == 0:
		return "", nil
	case v.Way == content.Linked && !v.isWhole():
		return "", errors.New("a program has written into the file, of which there was no room for a copy")
	}
	text, err := readText(v.Place, v.State.Size)
	if err == nil && (int64(len(text)) != v.State.Size || v.Sum != content.Sum{} && v.Sum != sha256.Sum256([]byte(text))) {
		err = errDamaged
	}
	return text, err
}

// readText reads a text file.
func readText(place content.Place, size int64) (string, error) {
	if size > maxMerged {
		return "", fmt.Errorf("it was changed since, and is larger than %d MiB: it cannot be merged", maxMerged>>20)
	}
	f, err := place.Open()
	if err != nil {
		return "", fmt.Errorf("it was changed since, and cannot be merged: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxMerged+1))
	if err == nil && len(data) > maxMerged {
		err = fmt.Errorf("it has grown to more than %d MiB", maxMerged>>20)
	}
	if err != nil {
		return "", fmt.Errorf("it was changed since, and cannot be merged: %w", err)
	}
	if _, _, isText := merge.Decode(string(data)); slices.Contains(data, 0) && !isText {
		return "", errors.New("it was changed since, and is no text: it cannot be merged")
	}
	return string(data), nil
}
