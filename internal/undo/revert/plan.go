// Package revert takes operations of the undo log back.
//
// [Make] makes a plan: which paths would change, and which would not, with the reason. A plan changes nothing. It only
// names paths that the operations themselves have changed. [Plan.Apply] carries it out as an operation of its own, which
// is in the log before the first path changes: if the process is killed, [Finish] completes it.
package revert

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"

	"pollux/internal/undo/content"
	"pollux/internal/undo/state"
	"pollux/internal/undo/store"
)

// Step is a path that a plan changes.
type Step struct {
	Path string
	// From is the version that the operations have left there, and To the one that comes back.
	From, To Version
	// Problem is why the path stays as it is, "" if it changes. IsOverwritable reports that it could be changed, at the
	// price of changes that others have made since.
	Problem        string
	IsOverwritable bool
	// Merges reports that only lines of the file come back, and later changes of others stay.
	Merges bool
	// hasContent reports whether the file has its content already, and differs in mode or time only.
	hasContent bool
	isFilled   bool        // the problem is a directory in its place with entries that stay
	isShared   bool        // a call of another session may have made the change
	now        state.State // the state when the plan was made
	parts      []part      // the changes that are taken back, the newest first; nil for one, from From to To
}

// Version is a version in an operation of the log.
type Version struct {
	store.Version
	Place content.Place // of the content
}

// Plan lists the changes that undo operations.
type Plan struct {
	Steps []Step // sorted by path; those that would change nothing are left out
	// Operations are the numbers of those that are taken back, the newest first.
	Operations []int

	store     *store.Store
	twins     twins
	isPartial bool // some steps were left out
}

// Changes returns the steps that change something.
func (p *Plan) Changes() []Step {
	return slices.DeleteFunc(slices.Clone(p.Steps), func(s Step) bool { return s.Problem != "" })
}

// Problems returns the steps whose paths stay as they are.
func (p *Plan) Problems() []Step {
	return slices.DeleteFunc(slices.Clone(p.Steps), func(s Step) bool { return s.Problem == "" })
}

// Select leaves only the steps for which keep is true.
func (p *Plan) Select(keep func(path string) bool) {
	count := len(p.Steps)
	p.Steps = slices.DeleteFunc(p.Steps, func(s Step) bool { return !keep(s.Path) })
	p.isPartial = p.isPartial || len(p.Steps) < count
	p.checkFilled()
}

// Overwrite makes the plan change the paths that others have changed since, too.
func (p *Plan) Overwrite() {
	for i := range p.Steps {
		if p.Steps[i].IsOverwritable {
			p.Steps[i].Problem = ""
		}
	}
	p.checkFilled()
}

// Show returns the plan of operations as they were recorded, without a look at the files now. It can be shown, not
// applied.
func Show(s *store.Store, operations []*store.Operation) *Plan {
	p := &Plan{store: s}
	p.merge(operations)
	return p
}

// Make plans to take operations back, given from the newest to the oldest.
func Make(ctx context.Context, s *store.Store, operations []*store.Operation) (*Plan, error) {
	p := Show(s, operations)
	p.leaveObjects()
	p.twins = twinsOf(p.Steps)
	steps := p.Steps[:0]
	for _, step := range p.Steps {
		isDone, err := step.check(ctx, p.twins)
		if err != nil {
			return nil, err
		}
		if !isDone {
			steps = append(steps, step)
		}
	}
	p.Steps = steps
	p.checkDirectories()
	p.checkFilled()
	return p, ctx.Err()
}

// merge makes one step of all changes of a path.
func (p *Plan) merge(operations []*store.Operation) {
	at := map[string]int{}
	for _, o := range operations {
		p.Operations = append(p.Operations, o.Number)
		for _, c := range o.Changes {
			before, after := versionOf(o, c.Before), versionOf(o, c.After)
			i, found := at[c.Path]
			if !found {
				at[c.Path] = len(p.Steps)
				p.Steps = append(p.Steps, Step{Path: c.Path, From: after, To: before, isShared: c.IsShared})
				continue
			}
			step := &p.Steps[i]
			step.isShared = step.isShared || c.IsShared
			step.follow(before, after)
		}
	}
	slices.SortFunc(p.Steps, func(a, b Step) int { return cmp.Compare(a.Path, b.Path) })
}

func versionOf(o *store.Operation, v store.Version) Version {
	return Version{Version: v, Place: o.Place(v.Content)}
}

// isEqual reports whether two versions of the log are the same, as far as the log knows.
func isEqual(a, b *Version) bool {
	if a.State.IsSame(b.State) && (a.Sum == b.Sum || a.Sum == (content.Sum{}) || b.Sum == (content.Sum{})) {
		return true
	}
	return a.State.HasAttributes(b.State) && a.State.Size == b.State.Size && a.Target == b.Target && a.Sum == b.Sum &&
		(a.Sum != content.Sum{} || a.State.Size == 0 || a.State.Kind == state.Link) // whose time does not come back
}

// check finds out whether the path can be changed, and whether it is already as it was.
func (s *Step) check(ctx context.Context, t twins) (isDone bool, err error) {
	now, err := t.read(s.Path)
	if err != nil {
		s.Problem = "it cannot be read: " + err.Error()
		return false, nil
	}
	s.now = now
	isTo, err := s.To.is(ctx, s.Path, now)
	isTo = isTo && (now.Kind != state.Regular || now.Modified == s.To.State.Modified)
	if err != nil || isTo {
		return isTo, err
	}
	if s.To.IsLost() {
		s.Problem, s.IsOverwritable = "its content was not kept: "+s.To.Lost, false
	}
	if s.Problem != "" {
		return false, nil
	}
	if now.Kind == state.Regular && s.To.State.Kind == state.Regular {
		bare := s.To
		bare.State.Mode, bare.State.Owner, bare.State.Group = now.Mode, now.Owner, now.Group
		if s.hasContent, err = bare.is(ctx, s.Path, now); err != nil {
			return false, err
		}
	}
	isFrom, err := s.From.is(ctx, s.Path, now)
	isFrom = isFrom || err == nil && s.From.State.HasAttributes(now) && isSameIndex(s.Path, content.Place{Path: s.Path}, s.From.Place)
	switch {
	case err != nil:
		return false, err
	case !isFrom:
		s.Problem, s.IsOverwritable = "it was changed since", true
	case s.To.Way == content.Linked && !s.hasContent && !s.To.isWhole():
		s.Problem = "a program has written into the file, of which there was no room for a copy"
	case !s.To.Place.IsNowhere() && s.To.Way != content.Linked && !s.To.isThere():
		s.Problem = errDamaged.Error()
	case s.isShared:
		s.Problem, s.IsOverwritable = "a command of another session ran at the same time, and may have changed it", true
	}
	return false, nil
}

// leaveObjects leaves out the objects of git repositories that stay. Objects that operations have added do no harm, and
// later commits may need them; git renews the times of those that it finds there.
func (p *Plan) leaveObjects() {
	isGone := func(gitDir string) bool {
		i, found := slices.BinarySearchFunc(p.Steps, gitDir+"HEAD", func(s Step, path string) int { return cmp.Compare(slashed(s.Path), path) })
		return found && p.Steps[i].To.State.Kind == state.Absent
	}
	p.Steps = slices.DeleteFunc(p.Steps, func(s Step) bool {
		gitDir, isObject := objectOf(s.Path)
		return isObject && (s.To.State.Kind == state.Absent || isRenewed(s.To.State, s.From.State)) && !isGone(gitDir)
	})
}

// isRenewed reports whether git has only renewed the time of an object.
func isRenewed(from, to state.State) bool {
	return from.Kind == to.Kind && from.Size == to.Size && from.Device == to.Device && from.Inode == to.Inode
}

// checkDirectories finds the paths whose directory is not there any more, and does not come back either.
func (p *Plan) checkDirectories() {
	problems := map[string]string{} // by directory
	for i := range p.Steps {
		s := &p.Steps[i]
		if s.To.State.Kind == state.Directory {
			problems[s.Path] = "its directory does not come back"
			if s.Problem == "" {
				problems[s.Path] = ""
			}
		}
	}
	var check func(dir string) string
	check = func(dir string) string {
		problem, found := problems[dir]
		if found && problem != "" || dir == filepath.Dir(dir) {
			return problem
		}
		now, err := state.Read(dir)
		switch {
		case found: // it comes back, if that above it does
			problem = ""
		case err != nil || now.Kind == state.Absent:
			problem = dir + " is gone"
		case now.Kind == state.Link:
			problem = dir + " is a link now"
		case now.Kind != state.Directory:
			problem = dir + " is no directory any more"
		}
		if problem == "" {
			problem = check(filepath.Dir(dir))
		}
		problems[dir] = problem
		return problem
	}
	for i := range p.Steps {
		s := &p.Steps[i]
		if problem := check(filepath.Dir(s.Path)); problem != "" && (s.Problem == "" || s.IsOverwritable) {
			s.Problem, s.IsOverwritable = problem, false
			if s.To.State.Kind == state.Directory {
				problems[s.Path] = problem
			}
		}
	}
}

// checkFilled finds the files and links in whose place is a directory with entries that stay.
func (p *Plan) checkFilled() {
	for i := range p.Steps {
		if s := &p.Steps[i]; s.isFilled {
			s.Problem, s.isFilled = "", false
		}
	}
	for i := range p.Steps {
		s := &p.Steps[i]
		if to := s.To.State.Kind; s.Problem == "" && to != state.Absent && to != state.Directory && s.now.Kind == state.Directory && !p.empties(s.Path) {
			s.Problem, s.isFilled = "a directory is in its place, which would not be empty", true
		}
	}
}

// empties reports whether the plan removes all entries of a directory.
func (p *Plan) empties(dir string) bool {
	entries, err := state.List(dir)
	if err != nil {
		return false
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name)
		i, found := slices.BinarySearchFunc(p.Steps, path, func(s Step, path string) int { return cmp.Compare(s.Path, path) })
		if !found || p.Steps[i].Problem != "" || p.Steps[i].To.State.Kind != state.Absent || e.State.Kind == state.Directory && !p.empties(path) {
			return false
		}
	}
	return true
}

// is reports whether this version stands at a path, whose state is now.
func (v *Version) is(ctx context.Context, path string, now state.State) (bool, error) {
	if v.State.IsSame(now) {
		return true, nil
	}
	if v.Way == content.Linked && v.Place.IsNowhere() && v.State.HasContent(now) {
		return true, nil // its second name was on its own file system, and is gone
	}
	if !v.State.HasAttributes(now) {
		return false, nil
	}
	switch now.Kind {
	case state.Regular:
		if v.State.Size != now.Size || v.Place.IsNowhere() {
			return v.State.Size == now.Size && now.Size == 0, nil
		}
		if v.Way == content.Linked && !v.isWhole() {
			return false, nil
		}
		same, err := content.Equal(ctx, path, v.Place)
		return same, orUnknown(ctx, err)
	case state.Link:
		target, err := readLink(path)
		return target == v.Target, orUnknown(ctx, err)
	case state.Absent, state.Directory:
		return true, nil
	}
	return v.State.Inode == now.Inode && v.State.Device == now.Device, nil
}

// orUnknown returns the error that ends the plan: only that of the context. A file that cannot be compared is another
// one.
func orUnknown(ctx context.Context, _ error) error { return ctx.Err() }

// isWhole reports whether the content, which is another name of the file, is still that of the version.
func (v *Version) isWhole() bool {
	now, err := state.Read(v.Place.Path)
	return err == nil && now.Kind == state.Regular && now.Size == v.State.Size && now.Modified == v.State.Modified
}

// isThere reports whether the content is in the log, as far as its size tells.
func (v *Version) isThere() bool { return v.Place.Has(v.State.Size) }

// objectOf returns the directory, with a slash at its end, of the git repository among whose objects a path is.
func objectOf(path string) (gitDir string, ok bool) {
	path = slashed(path)
	at := strings.Index(path, "/.git/")
	if at < 0 {
		return "", false
	}
	end := strings.LastIndex(path, "/objects") // of a submodule's repository, too
	if end < at+len("/.git")-1 || len(path) > end+len("/objects") && path[end+len("/objects")] != '/' {
		return "", false
	}
	return path[:end+1], true
}
