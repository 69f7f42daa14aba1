package file

import (
	"bytes"
	"context"
	"crypto/sha256"
	"io"
	"os"
	"slices"
	"strings"
	"sync"

	"pollux/internal/workspace"
	"pollux/llm/ellipsis"
	"pollux/tool"
)

// Seen has, for each conversation, the version of each file that its model has read or written last.
// With it, edits notice changes by others. A nil Seen has none, and notices nothing. Its methods
// may be called at any time.
type Seen struct {
	mu       sync.Mutex
	versions map[sighting]*version
	kept     []*version // those with data, the oldest first, and some that have none any more
	size     int        // of that data, in bytes
}

// NewSeen returns a Seen without versions.
func NewSeen() *Seen { return &Seen{versions: map[sighting]*version{}} }

const (
	maxKept    = 128 << 10 // bytes of a file whose content is kept, for merging
	maxKeptAll = 4 << 20   // bytes of all of them
	maxSeen    = 20_000    // files
)

type sighting struct{ conversation, path string }

func sightingOf(c tool.Conversation, abs string) sighting {
	return sighting{c.ID, workspace.RealPath(abs)}
}

// version identifies the content of a file.
type version struct {
	sum  [sha256.Size]byte
	data []byte // nil if it is not kept
	// parts are the lines that the model has got, of total lines; total may be 0 if it has got all.
	parts parts
	total int
	// by describes the call that has changed the file after that, "" for none, and left it as changed.
	by      string
	changed Stamp
}

// Stamp tells two states of a file apart.
type Stamp struct {
	Size     int64
	Modified int64 // nanoseconds since 1970
}

func versionOf(data []byte) *version {
	v := &version{sum: sha256.Sum256(data)}
	if len(data) <= maxKept {
		v.data = data
	}
	return v
}

// note stores that the model of the conversation of ctx has this version of the file at abs.
func (s *Seen) note(ctx context.Context, abs string, v *version) {
	c, ok := tool.ConversationOf(ctx)
	if s == nil || !ok || v == nil {
		return
	}
	at := sightingOf(c, abs)
	s.mu.Lock()
	defer s.mu.Unlock()
	noted := &version{sum: v.sum, data: v.data, parts: v.parts, total: v.total}
	if before := s.versions[at]; before != nil {
		if before.sum == v.sum {
			noted.parts = before.parts.with(v.parts, v.total)
		}
		s.drop(before)
	} else if len(s.versions) >= maxSeen {
		return
	}
	s.versions[at] = noted
	if len(s.kept) > 2*len(s.versions) {
		s.kept = slices.DeleteFunc(s.kept, func(v *version) bool { return v.data == nil })
	}
	s.kept = append(s.kept, noted)
	s.size += len(noted.data)
	for s.size > maxKeptAll {
		s.drop(s.kept[0])
		s.kept = s.kept[1:]
	}
}

// drop forgets the data of a version.
func (s *Seen) drop(v *version) {
	s.size -= len(v.data)
	v.data = nil
}

// Undone stores that the model of the conversation of ctx knows of an undo, which has been applied.
func (s *Seen) Undone(ctx context.Context, u *Undo) {
	if !u.Removes {
		s.note(ctx, u.Path, versionOf(u.then.data))
	}
}

// maxBy limits the description of a call, in bytes.
const maxBy = 80

// Changed stores that a call of the session, which by describes, has changed files, given by their real paths as they are now.
// A model that has read one of them before learns that from the next edit.
func (s *Seen) Changed(by string, files map[string]Stamp) {
	if s == nil || len(files) == 0 {
		return
	}
	by = "`" + ellipsis.Bytes(strings.ReplaceAll(strings.Join(strings.Fields(by), " "), "`", "'"), maxBy) + "`"
	s.mu.Lock()
	defer s.mu.Unlock()
	for at, v := range s.versions {
		if stamp, ok := files[at.path]; ok {
			v.by, v.changed = by, stamp
		}
	}
}

// changedBy returns the call that has changed a file last, "" if someone else may have changed it since, or if none has.
func (s *Seen) changedBy(at sighting) string {
	s.mu.Lock()
	var by string
	var left Stamp
	if v := s.versions[at]; v != nil {
		by, left = v.by, v.changed
	}
	s.mu.Unlock()
	if by == "" {
		return ""
	}
	info, err := os.Lstat(at.path)
	if err != nil || left != (Stamp{info.Size(), info.ModTime().UnixNano()}) {
		return ""
	}
	return by
}

// compare returns how now, the current version of the file at abs, differs from the version that the model
// of the conversation of ctx has; nil if it does not, or if the file has no text. In a continued
// conversation, an unread file counts as one that does not differ, because an earlier process may
// have read it.
func (s *Seen) compare(ctx context.Context, w *workspace.Workspace, abs string, now *document) *newer {
	c, ok := tool.ConversationOf(ctx)
	if s == nil || !ok || !now.exists || blank(now.text) {
		return nil
	}
	at := sightingOf(c, abs)
	known, data, isFull := s.version(at)
	n := &newer{now: now}
	switch {
	case known == nil && (c.IsContinued || isFull):
		return nil
	case known == nil:
		n.isUnread = true
	case known.sum == sha256.Sum256(now.data):
		if known.parts.missing(known.total) <= headLines {
			return nil
		}
		n.parts = known.parts
		return n
	case data != nil:
		if n.base = newDocument(data); n.base.text == now.text {
			return nil // other line ends, or another encoding
		}
	}
	n.by = s.changedBy(at)
	n.isHidden = w.Ignored(abs, false, w.DefaultFilter())
	return n
}

// version returns the version of a file, nil if there is none, and its data if that is kept. isFull reports that
// no more files can be stored.
func (s *Seen) version(at sighting) (v *version, data []byte, isFull bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if v = s.versions[at]; v != nil {
		data = v.data
	}
	return v, data, len(s.versions) >= maxSeen
}

// witness computes the version of a file from the data that a reader of it returns.
type witness struct {
	hash interface {
		io.Writer
		Sum(b []byte) []byte
	}
	data bytes.Buffer
	size int
}

func newWitness() *witness { return &witness{hash: sha256.New()} }

func (w *witness) Write(p []byte) (int, error) {
	w.size += len(p)
	if w.size <= maxKept {
		w.data.Write(p)
	}
	return w.hash.Write(p)
}

// version returns the version of the file, all of which was read.
func (w *witness) version() *version {
	v := new(version)
	w.hash.Sum(v.sum[:0])
	if w.size <= maxKept {
		v.data = w.data.Bytes()
	}
	return v
}
