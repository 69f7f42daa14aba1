package store

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"pollux/internal/undo/content"
	"pollux/internal/undo/state"
)

// Kind is whose changes an operation has.
type Kind string

// The kinds.
const (
	Call    Kind = "call"    // of a model's tool call
	Command Kind = "command" // of a person's own command, or of a hook
	Undo    Kind = "undo"    // of an undo or a redo, which is the undo of an undo
	// Background is the kind of changes between calls, while programs went on in the background: theirs, and the person's.
	Background Kind = "background"
)

// Header describes an operation without its changes.
type Header struct {
	Number  int    `json:"-"`    // its place in the log, from 1 on
	Kind    Kind   `json:"kind"` // whose changes they are
	Session string `json:"session,omitempty"`
	Prompt  string `json:"prompt,omitempty"` // the id of the prompt
	Call    string `json:"call,omitempty"`   // the id of the call
	Tool    string `json:"tool,omitempty"`
	// Name is the tool's name for people, "" if the title tells enough.
	Name  string    `json:"name,omitempty"`
	Title string    `json:"title,omitempty"` // the command or file, for people
	Began time.Time `json:"began"`
	Ended time.Time `json:"ended"`
	// Undoes are the numbers of the operations that an undo has taken back.
	Undoes []int `json:"undoes,omitempty"`
	// IsPartial reports that an undo was asked for some paths of these operations only, or could not change all: the rest can
	// still be undone.
	IsPartial bool `json:"partial,omitempty"`
	// Beside are calls and commands that ran at the same time, and may have made some of the changes.
	Beside []string `json:"beside,omitempty"`
	// HasBackground is set if programs of the session went on in the background at the same time.
	HasBackground bool `json:"background,omitempty"`
	// IsAnywhere is set unless the changes are those at known paths only.
	IsAnywhere bool `json:"anywhere,omitempty"`

	Created int   `json:"created,omitempty"`
	Changed int   `json:"changed,omitempty"`
	Deleted int   `json:"deleted,omitempty"`
	Lost    int   `json:"lost,omitempty"` // files whose content before was not kept
	Bytes   int64 `json:"bytes"`          // of the contents that the store keeps for it
}

// Operation is a step of work, with all that it changed.
type Operation struct {
	Header
	Changes []Change

	dir   string        // with the contents that have files of their own
	small content.Place // of all small contents
}

// Change is a path that an operation has changed.
type Change struct {
	Path          string // absolute, in any bytes
	Before, After Version
	// IsShared is set if a call of another session may have made the change, which ran at the same time.
	IsShared bool
}

// Version is the state of a path, and its content.
type Version struct {
	State  state.State
	Target string // of a link
	// Content is the name of the content in the operation (see [Operation.Place]), "" for none: the version is no file,
	// or an empty one, or it is Lost.
	Content string
	Way     content.Way
	Sum     content.Sum // zero if it is not known
	// Lost is why the content was not kept, "" if it was.
	Lost string
}

// IsLost reports whether the version cannot be brought back.
func (v *Version) IsLost() bool { return v.Lost != "" }

// count fills in the numbers of the header.
func (o *Operation) count() {
	o.Created, o.Changed, o.Deleted, o.Lost = 0, 0, 0, 0
	for _, c := range o.Changes {
		switch {
		case c.Before.State.Kind == state.Absent:
			o.Created++
		case c.After.State.Kind == state.Absent:
			o.Deleted++
		default:
			o.Changed++
		}
		if c.Before.IsLost() {
			o.Lost++
		}
	}
}

// encoded is a change in the record: names and numbers are short, because there may be many.
type encoded struct {
	Path   string   `json:"p,omitempty"`
	Raw    []byte   `json:"r,omitempty"` // the path, if it is no UTF-8
	Before *version `json:"b,omitempty"`
	After  *version `json:"a,omitempty"`
	Shared bool     `json:"o,omitempty"`
}

type version struct {
	Kind     state.Kind  `json:"k"`
	Mode     uint16      `json:"m,omitempty"`
	Size     int64       `json:"s,omitempty"`
	Modified int64       `json:"t,omitempty"`
	Changed  int64       `json:"x,omitempty"`
	Device   uint64      `json:"d,omitempty"`
	Inode    uint64      `json:"i,omitempty"`
	Owner    uint32      `json:"u,omitempty"`
	Group    uint32      `json:"g,omitempty"`
	Target   []byte      `json:"l,omitempty"`
	Content  string      `json:"c,omitempty"`
	Way      content.Way `json:"w,omitempty"`
	Sum      []byte      `json:"h,omitempty"`
	Lost     string      `json:"n,omitempty"`
}

func encode(c Change) encoded {
	e := encoded{Before: encodeVersion(&c.Before), After: encodeVersion(&c.After), Shared: c.IsShared}
	if utf8.ValidString(c.Path) {
		e.Path = c.Path
	} else {
		e.Raw = []byte(c.Path)
	}
	return e
}

func encodeVersion(v *Version) *version {
	if v.State.Kind == state.Absent {
		return nil
	}
	s := v.State
	e := &version{
		Kind: s.Kind, Mode: s.Mode, Size: s.Size, Modified: s.Modified, Changed: s.Changed, Device: s.Device, Inode: s.Inode,
		Owner: s.Owner, Group: s.Group, Target: []byte(v.Target), Content: v.Content, Way: v.Way, Lost: v.Lost,
	}
	if v.Sum != (content.Sum{}) {
		e.Sum = v.Sum[:]
	}
	return e
}

// decode returns the change, which is not ok if nothing that Pollux writes could be read back so.
func (e *encoded) decode() (c Change, ok bool) {
	c.Path = e.Path
	if c.Path == "" {
		c.Path = string(e.Raw)
	}
	if !isAbsolute(c.Path) || strings.ContainsRune(c.Path, 0) {
		return c, false
	}
	before, ok := e.Before.decode()
	after, also := e.After.decode()
	c.Before, c.After, c.IsShared = before, after, e.Shared
	return c, ok && also
}

func (e *version) decode() (v Version, ok bool) {
	if e == nil {
		return Version{}, true
	}
	v = Version{
		State: state.State{
			Kind: e.Kind, Mode: e.Mode, Size: e.Size, Modified: e.Modified, Changed: e.Changed,
			Device: e.Device, Inode: e.Inode, Owner: e.Owner, Group: e.Group,
		},
		Target: string(e.Target), Content: e.Content, Way: e.Way, Lost: e.Lost,
	}
	if len(e.Sum) > 0 && copy(v.Sum[:], e.Sum) != len(v.Sum) {
		return v, false
	}
	return v, v.State.Kind <= state.Special && (v.Content == "" || isName(v.Content))
}

// IsLong reports whether the operation took so long that a person has probably edited files in that time, too.
func (o *Operation) IsLong() bool { return o.Ended.Sub(o.Began) >= 30*time.Second }

// Place returns where a content of an operation in the log is, given its name, "" for none.
func (o *Operation) Place(name string) content.Place {
	at, size, isSmall := partOf(name)
	switch {
	case name == "":
		return content.Place{}
	case isSmall:
		return content.Place{Path: o.small.Path, At: o.small.At + at, Size: size}
	}
	return content.Place{Path: filepath.Join(o.dir, name)}
}

// isAt notes where the operation is in the log, given the name of its record in its directory, "" if it has none.
func (o *Operation) isAt(dir string, number int, record string) {
	o.Number, o.dir = number, dir
	if o.small.Path = filepath.Join(dir, record); o.small.Size == 0 {
		o.small = content.Place{Path: filepath.Join(dir, packedFile)}
	}
}

// smallName is the name of a small content, given its place among the others of its operation.
func smallName(at, size int64) string { return fmt.Sprintf("%d+%d", at, size) }

// partOf is the reverse of smallName.
func partOf(name string) (at, size int64, ok bool) {
	a, b, ok := strings.Cut(name, "+")
	if !ok || !isNumber(a) || !isNumber(b) {
		return 0, 0, false
	}
	at, _ = strconv.ParseInt(a, 10, 64)
	size, _ = strconv.ParseInt(b, 10, 64)
	return at, size, size > 0 && size <= content.MaxSmall
}

// isName reports whether a name is that of a content.
func isName(name string) bool {
	_, _, isSmall := partOf(name)
	return isSmall || isNumber(name)
}

func isNumber(name string) bool {
	for i := range len(name) {
		if name[i] < '0' || name[i] > '9' {
			return false
		}
	}
	return name != "" && len(name) < 16
}
