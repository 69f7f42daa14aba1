// Package history finds the operations of the undo log that an undo or a redo takes back.
package history

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pollux/internal/undo/store"
)

// History is the log as a person sees it.
type History struct {
	store   *store.Store
	list    []store.Header // the oldest first
	undone  map[int]bool
	Damaged []store.Damage
}

// Read reads the log.
func Read(s *store.Store) (*History, error) {
	list, damaged, err := s.List()
	if err != nil {
		return nil, err
	}
	h := &History{store: s, list: list, undone: map[int]bool{}, Damaged: damaged}
	byNumber := map[int]*store.Header{}
	for i := range list {
		o := &list[i]
		byNumber[o.Number] = o
		for _, n := range o.Undoes {
			if !o.IsPartial {
				h.mark(byNumber, n, true)
			}
		}
	}
	return h, nil
}

// mark notes that an operation is undone, or done again. If it is an undo itself, the reverse holds for those that it
// has taken back.
func (h *History) mark(byNumber map[int]*store.Header, number int, isUndone bool) {
	h.undone[number] = isUndone
	o := byNumber[number]
	if o == nil || o.Kind != store.Undo || o.IsPartial { // a partial one has marked none
		return
	}
	for _, n := range o.Undoes {
		if n < number {
			h.mark(byNumber, n, !isUndone)
		}
	}
}

// All returns the headers of all operations, the oldest first.
func (h *History) All() []store.Header { return h.list }

// IsUndone reports whether an operation has been taken back, and not been done again.
func (h *History) IsUndone(number int) bool { return h.undone[number] }

// Selection says which operations to take back.
type Selection struct {
	// Session limits them to those of a session; "" takes the session of the newest one.
	Session string
	// Count is the number of the newest ones, where those of one call, such as those of its hooks, count as one. Call names
	// one by its number ("#12"), or all of a call by its id. Prompt takes all from the prompt with an id on. Path takes the
	// newest that changed a path or something below it. One of them is set. Those of programs in the background, which may
	// have edits of the person, are taken only by number or path.
	Count              int
	Call, Prompt, Path string
}

// The errors if there is nothing to take back.
var (
	ErrNothing       = errors.New("nothing to undo")
	ErrNothingToRedo = errors.New("nothing to redo")
)

// Undo returns the operations to take back, the newest first.
func (h *History) Undo(s Selection) ([]*store.Operation, error) {
	if s.Call != "" {
		return h.one(s.Call)
	}
	var numbers []int
	calls, last := 0, store.Header{}
	for _, o := range slices.Backward(h.list) {
		if o.Kind == store.Undo || o.Kind == store.Background || h.undone[o.Number] {
			continue
		}
		if s.Session == "" {
			s.Session = o.Session
		}
		if o.Session != s.Session {
			continue
		}
		if o.Call == "" || o.Call != last.Call || o.Prompt != last.Prompt {
			if s.Prompt == "" && calls == s.Count {
				break
			}
			calls++
		}
		last = o
		numbers = append(numbers, o.Number)
	}
	if s.Prompt != "" {
		if numbers = h.since(numbers, s.Prompt); numbers == nil {
			return nil, fmt.Errorf("no change since prompt %s is recorded", s.Prompt)
		}
	}
	if len(numbers) == 0 {
		return nil, ErrNothing
	}
	if s.Count > calls {
		return nil, fmt.Errorf("only %d changes of this session can be undone", calls)
	}
	return h.read(numbers)
}

// since returns the first of these numbers, up to the last operation of a prompt.
func (h *History) since(numbers []int, prompt string) []int {
	for i, n := range slices.Backward(numbers) {
		at := slices.IndexFunc(h.list, func(o store.Header) bool { return o.Number == n })
		if h.list[at].Prompt == prompt {
			return numbers[:i+1]
		}
	}
	return nil
}

// one returns the operation with a number, or those of a call, the newest first. Those that are in effect are preferred to those that
// an undo has taken back, of which it may have left some paths.
func (h *History) one(name string) ([]*store.Operation, error) {
	number, err := strconv.Atoi(strings.TrimPrefix(name, "#"))
	var numbers, undone []int
	for _, o := range slices.Backward(h.list) {
		switch {
		case (err != nil || o.Number != number) && o.Call != name:
		case h.undone[o.Number]:
			undone = append(undone, o.Number)
		default:
			numbers = append(numbers, o.Number)
		}
	}
	switch {
	case len(numbers) > 0:
		return h.read(numbers)
	case len(undone) > 0:
		return h.read(undone)
	}
	return nil, fmt.Errorf("there is no change %q; to list them, run pollux undo log", name)
}

// Between returns the operations of programs in the background of a session, "" for that of the newest operation, after an
// operation, as far as they are in effect, the newest first.
func (h *History) Between(session string, after int) (list []store.Header) {
	for _, o := range slices.Backward(h.list) {
		if session == "" {
			session = o.Session
		}
		if o.Kind == store.Background && o.Session == session && o.Number > after && !h.undone[o.Number] {
			list = append(list, o)
		}
	}
	return list
}

// Redo returns the newest undo that is in effect, with nothing done by its session since.
func (h *History) Redo(session string) ([]*store.Operation, error) {
	for _, o := range slices.Backward(h.list) {
		if session != "" && o.Session != session || o.Kind == store.Background || h.undone[o.Number] || o.Kind == store.Undo && h.isRedo(o) {
			continue
		}
		if o.Kind != store.Undo {
			break
		}
		return h.read([]int{o.Number})
	}
	return nil, ErrNothingToRedo
}

// isRedo reports whether an operation has taken an undo back.
func (h *History) isRedo(o store.Header) bool {
	return slices.ContainsFunc(h.list, func(p store.Header) bool { return p.Kind == store.Undo && slices.Contains(o.Undoes, p.Number) })
}

// Touching returns the newest operation in effect that changed a path, or something below it. One is in effect there unless an undo has
// taken these paths back: an undo leaves those that were changed since.
func (h *History) Touching(path string) ([]*store.Operation, error) {
	undone := map[int]bool{}
	for _, o := range slices.Backward(h.list) {
		if undone[o.Number] {
			continue
		}
		list, err := h.read([]int{o.Number})
		if err != nil {
			continue // damaged
		}
		switch isTouched := slices.ContainsFunc(list[0].Changes, func(c store.Change) bool { return c.Path == path || strings.HasPrefix(c.Path, path+"/") }); {
		case !isTouched:
		case o.Kind != store.Undo:
			return list, nil
		default:
			for _, n := range o.Undoes {
				undone[n] = true
			}
		}
	}
	return nil, fmt.Errorf("no recorded change of %s can be undone", path)
}

func (h *History) read(numbers []int) (list []*store.Operation, err error) {
	for _, n := range numbers {
		o, err := h.store.Read(n)
		if err != nil {
			return nil, err
		}
		list = append(list, o)
	}
	return list, nil
}
