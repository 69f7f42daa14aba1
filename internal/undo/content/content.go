// Package content keeps the contents of files in other files.
//
// There are three ways, the best first. A clone shares the blocks of the file, costs nothing whatever its size, and
// stays as it is when the file is changed; few file systems have it. A copy costs the size of the file. A link is
// another name of the file: it costs nothing and keeps the content if the file is deleted or replaced, but not if a
// program writes into the file.
package content

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"

	"pollux/internal/undo/state"
)

// Way is how a content is kept.
type Way uint8

// The ways.
const (
	None Way = iota
	Cloned
	Copied
	Linked
)

// Sum is the SHA-256 of a content that was read, zero for one that was not.
type Sum [sha256.Size]byte

// Kept is a content that is kept.
type Kept struct {
	Way   Way
	Sum   Sum
	Bytes int64       // of space that it takes; 0 if it shares all
	State state.State // of the file when its content was taken
}

// ErrChanged is returned if a file is no longer the one whose content is wanted, or does not stop changing.
var ErrChanged = errors.New("the file keeps changing")

// Ways says which ways may be tried for a file.
type Ways struct {
	Clone, Copy, Link bool
	// Aside lets the caller of [Take] link on the file's own file system if the place is on another one.
	Aside bool
}

// tries is how often the content of a file that changes meanwhile is taken.
const tries = 3

// Take keeps the content of the regular file at path in the new file at place. It does not follow a link at path, and
// does not wait for a FIFO that has taken the file's place. If no way works, the error is that of the last one.
func Take(ctx context.Context, path, place string, ways Ways) (k Kept, err error) {
	for range tries {
		k, err = takeOnce(ctx, path, place, ways)
		if !errors.Is(err, ErrChanged) {
			return k, err
		}
	}
	return Kept{}, fmt.Errorf("keep %s: %w", path, err)
}

func takeOnce(ctx context.Context, path, place string, ways Ways) (Kept, error) {
	err := error(errors.ErrUnsupported)
	if ways.Clone || ways.Copy {
		var k Kept
		if k, err = read(ctx, path, place, ways); err == nil || errors.Is(err, ErrChanged) || state.IsAbsent(err) {
			return k, err
		}
		_ = os.Remove(place)
	}
	if !ways.Link {
		return Kept{}, err
	}
	if err := os.Link(path, place); err != nil {
		return Kept{}, err
	}
	now, err := state.Read(place)
	if err == nil {
		err = isStill(path, now)
	}
	if err != nil {
		_ = os.Remove(place)
		return Kept{}, err
	}
	return Kept{Way: Linked, State: now}, nil
}

// isStill returns an error if a file that was linked is not the regular file at path: a link on the way may have led elsewhere.
func isStill(path string, linked state.State) error {
	now, err := statStraight(path)
	if err != nil {
		return err
	}
	if now.Kind != state.Regular || linked.Kind != state.Regular || now.Device != linked.Device || now.Inode != linked.Inode {
		return ErrChanged
	}
	return nil
}

// read clones or copies the file.
func read(ctx context.Context, path, place string, ways Ways) (Kept, error) {
	from, before, err := open(path)
	if err != nil {
		return Kept{}, err
	}
	defer from.Close()
	to, err := os.OpenFile(place, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return Kept{}, err
	}
	k := Kept{Way: Cloned, State: before}
	err = errors.ErrUnsupported
	if ways.Clone {
		err = Clone(to, from)
	}
	if err != nil && ways.Copy {
		k.Way = Copied
		k.Sum, k.Bytes, err = copyOut(ctx, to, from, before.Size)
	}
	err = errors.Join(err, to.Close())
	if err == nil {
		if now, e := from.Stat(); e != nil || !state.Of(now).IsSame(before) {
			err = ErrChanged
		}
	}
	if err != nil {
		_ = os.Remove(place)
		return Kept{}, err
	}
	return k, nil
}

// copyOut copies a file of a size, and no more of one that grows.
func copyOut(ctx context.Context, to io.Writer, from io.Reader, size int64) (sum Sum, n int64, err error) {
	h := sha256.New()
	n, err = io.Copy(io.MultiWriter(to, h), io.LimitReader(&stoppable{ctx, from}, size))
	h.Sum(sum[:0])
	return sum, n, err
}

// stoppable is a reader that ends with its context.
type stoppable struct {
	ctx context.Context
	r   io.Reader
}

func (s *stoppable) Read(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.r.Read(p)
}

// Equal reports whether the regular file at path has the content at place.
func Equal(ctx context.Context, path string, place Place) (bool, error) {
	a, before, err := open(path)
	if err != nil {
		return false, err
	}
	defer a.Close()
	b, err := place.Open()
	if err != nil {
		return false, err
	}
	defer b.Close()
	if !place.Has(before.Size) {
		return false, nil
	}
	x, y := make([]byte, 64<<10), make([]byte, 64<<10)
	for ctx.Err() == nil {
		n, err := io.ReadFull(a, x)
		m, other := io.ReadFull(b, y)
		if n != m || string(x[:n]) != string(y[:m]) {
			return false, nil
		}
		if err != nil || other != nil {
			return isEnd(err) && isEnd(other), nil
		}
	}
	return false, ctx.Err()
}

func isEnd(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) }
