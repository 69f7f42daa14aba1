package content

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"pollux/internal/undo/state"
)

// Pack is a file in which copies of small files stand one behind the other: to make a file for each of them takes most of
// the time of a copy. A copy takes its space until the pack is removed. It may be used from several goroutines at once.
type Pack struct {
	mu   sync.Mutex
	file *os.File // nil before the first copy
	path string
	end  int64
}

const (
	// MaxPacked is the size of the largest file that is packed, in bytes.
	MaxPacked = 32 << 10
	// step is the distance between two places in a pack at which a copy can begin, in bytes: so a place is a number of 31
	// bits.
	step = 16
	// maxPack is the size of a pack, in bytes.
	maxPack = step << 31
)

// NewPack returns the pack in the new file at a path.
func NewPack(path string) *Pack { return &Pack{path: path} }

// Take keeps the content of the regular file at path, and returns its place in the pack. The errors are those of the
// function [Take].
func (p *Pack) Take(ctx context.Context, path string) (place uint32, k Kept, err error) {
	for range tries {
		place, k, err = p.takeOnce(path)
		if !errors.Is(err, ErrChanged) || ctx.Err() != nil {
			return place, k, err
		}
	}
	return 0, Kept{}, fmt.Errorf("keep %s: %w", path, err)
}

func (p *Pack) takeOnce(path string) (uint32, Kept, error) {
	from, before, err := open(path)
	if err != nil {
		return 0, Kept{}, err
	}
	defer from.Close()
	if before.Size > MaxPacked {
		return 0, Kept{}, ErrChanged
	}
	data := make([]byte, before.Size)
	if _, err := io.ReadFull(from, data); err != nil {
		if isEnd(err) {
			err = ErrChanged
		}
		return 0, Kept{}, err
	}
	if now, err := from.Stat(); err != nil || !state.Of(now).IsSame(before) {
		return 0, Kept{}, ErrChanged
	}
	place, err := p.add(data)
	return place, Kept{Way: Packed, Sum: sha256.Sum256(data), Bytes: before.Size, State: before}, err
}

// add appends a copy.
func (p *Pack) add(data []byte) (uint32, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.file == nil {
		f, err := os.OpenFile(p.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return 0, err
		}
		p.file = f
	}
	at := (p.end + step - 1) / step * step
	if at >= maxPack {
		return 0, fmt.Errorf("keep files: %s is full", p.path)
	}
	if _, err := p.file.WriteAt(data, at); err != nil {
		return 0, err
	}
	p.end = at + int64(len(data))
	return uint32(at / step), nil
}

// Close closes the pack, which can still be read.
func (p *Pack) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.file == nil {
		return nil
	}
	return p.file.Close()
}

// ReadPacked returns the copy of a size at a place of the pack at a path.
func ReadPacked(path string, place uint32, size int64) (io.Reader, error) {
	if size > MaxPacked {
		return nil, fmt.Errorf("read %s: no copy has %d bytes", path, size)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data := make([]byte, size)
	if _, err := f.ReadAt(data, int64(place)*step); err != nil {
		return nil, err
	}
	return bytes.NewReader(data), nil
}
