package content

import (
	"errors"
	"fmt"
	"math/bits"
	"os"
	"sync"
)

// Pack is a file in which copies of small files stand one behind the other: to make a file for each of them takes most of
// the time of a copy. It does not shrink, but the space of a copy that is dropped gets another one of about its size. It
// may be used from several goroutines at once.
type Pack struct {
	mu   sync.Mutex
	file *os.File // nil before the first copy
	path string
	end  uint32              // in steps
	free map[uint32][]uint32 // places that are not used, by their length in steps
}

const (
	// step is the distance between two places in a pack at which a copy can begin, in bytes: so a place is a number of 31
	// bits.
	step = 16
	// maxPack is the size of a pack, in steps.
	maxPack = 1 << 31
)

// NewPack returns the pack in the new file at a path.
func NewPack(path string) *Pack { return &Pack{path: path, free: map[uint32][]uint32{}} }

// Add adds a copy of at most [MaxSmall] bytes, and returns its place in the pack.
func (p *Pack) Add(data []byte) (place uint32, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.file == nil {
		f, err := os.OpenFile(p.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return 0, err
		}
		p.file = f
	}
	length := steps(len(data))
	list := p.free[length]
	place = p.end
	if len(list) > 0 {
		place = list[len(list)-1]
	} else if length > maxPack-p.end {
		return 0, fmt.Errorf("keep files: %s is full", p.path)
	}
	if _, err := p.file.WriteAt(data, int64(place)*step); err != nil {
		return 0, err
	}
	if len(list) > 0 {
		p.free[length] = list[:len(list)-1]
	} else {
		p.end += length
	}
	return place, nil
}

// Drop gives the space of a copy of a size back.
func (p *Pack) Drop(place uint32, size int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	length := steps(int(size))
	p.free[length] = append(p.free[length], place)
}

// steps returns the length of the space for a copy of a size, of which there are few: for sizes from a power of two to the
// next, sixteen. So a file that changes its size a little at each turn finds space that others have left.
func steps(size int) uint32 {
	n := uint32(size+step-1) / step
	coarse := max(bits.Len32(n)-5, 0)
	return (n + 1<<coarse - 1) >> coarse << coarse
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

// Packed returns where the copy of a size is that has a place in the pack at a path.
func Packed(path string, place uint32, size int64) (Place, error) {
	if size <= 0 || size > MaxSmall {
		return Place{}, errors.New("no copy in a pack has this size")
	}
	return Place{Path: path, At: int64(place) * step, Size: size}, nil
}
