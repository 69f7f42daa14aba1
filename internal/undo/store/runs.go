package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"sync"

	"pollux/internal/durable"
)

// runsFile is the name of the file in a base with the runs that may change files: an entry when one begins, and one when
// it ends. When it is large and all have ended, it is emptied.
const (
	runsFile  = "runs"
	largeRuns = 256 << 10
)

// An entry is the size of a note, its sum, and the number of the run, which is that of an end if the note is empty.
const runHead = 12

// runs writes that file. Its methods may be called from several goroutines at once.
type runs struct {
	mu      sync.Mutex
	file    *os.File // nil before the first run
	size    int64
	last    uint32
	running int
}

// BeginRun notes that a run begins which may change files, and returns its number. The note is there until EndRun, even if
// the process is killed.
func (b *Base) BeginRun(note []byte) (number uint32, err error) {
	r := &b.runs
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(note) == 0 {
		return 0, errors.New("keep files for undo: an empty note")
	}
	if r.file == nil {
		if r.file, err = os.OpenFile(b.File(runsFile), os.O_WRONLY|os.O_CREATE|os.O_TRUNC|os.O_APPEND, 0o600); err != nil {
			return 0, fmt.Errorf("keep files for undo: %w", err)
		}
	}
	r.last++
	if err := r.add(r.last, note); err != nil {
		return 0, fmt.Errorf("keep files for undo: %w", err)
	}
	r.running++
	return r.last, nil
}

// EndRun removes the note of a run.
func (b *Base) EndRun(number uint32) {
	r := &b.runs
	r.mu.Lock()
	defer r.mu.Unlock()
	r.running--
	if r.running == 0 && r.size > largeRuns && r.file.Truncate(0) == nil {
		r.size = 0
		return
	}
	_ = r.add(number, nil) // on a full disk; if the process is killed then, the run seems to be unfinished
}

// add adds an entry, whole or not at all.
func (r *runs) add(number uint32, note []byte) error {
	entry := make([]byte, runHead, runHead+len(note))
	binary.LittleEndian.PutUint32(entry, uint32(len(note)))
	binary.LittleEndian.PutUint32(entry[8:], number)
	entry = append(entry, note...)
	binary.LittleEndian.PutUint32(entry[4:], crc32.ChecksumIEEE(entry[8:]))
	if _, err := r.file.Write(entry); err != nil {
		return errors.Join(err, r.file.Truncate(r.size)) // else no one could read the entries after it
	}
	r.size += int64(len(entry))
	return nil
}

func (r *runs) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.file != nil {
		_ = r.file.Close()
	}
}

// maxRuns is the number of bytes that the file may have.
const maxRuns = 1 << 30

// Pending returns the notes of the runs that have not ended, the oldest first. A base that has any is not swept.
func (b *Base) Pending() (notes [][]byte) {
	data, err := durable.ReadFile(b.File(runsFile), maxRuns)
	if err != nil {
		return nil
	}
	return pending(data)
}

// pending returns the notes of the runs that have not ended, up to the first entry that is not whole: a run begins when its
// entry is.
func pending(data []byte) (notes [][]byte) {
	type run struct {
		number uint32
		note   []byte
	}
	var list []run
	for len(data) >= runHead {
		size, sum := binary.LittleEndian.Uint32(data), binary.LittleEndian.Uint32(data[4:])
		if uint64(size) > uint64(len(data)-runHead) || crc32.ChecksumIEEE(data[8:runHead+size]) != sum {
			break
		}
		next := run{binary.LittleEndian.Uint32(data[8:]), data[runHead : runHead+size]}
		if data = data[runHead+size:]; size > 0 {
			list = append(list, next)
			continue
		}
		for i := range list {
			if list[i].number == next.number {
				list = append(list[:i], list[i+1:]...)
				break
			}
		}
	}
	for _, r := range list {
		notes = append(notes, r.note)
	}
	return notes
}

// PendingOfOthers returns the notes of the runs of other processes that have not ended, without those in a certain base; nil
// is for none.
func (b *Base) PendingOfOthers(without *Base) (notes [][]byte) {
	bases := filepath.Dir(b.dir)
	entries, _ := os.ReadDir(bases)
	for _, e := range entries {
		if other := (&Base{dir: filepath.Join(bases, e.Name())}); other.dir != b.dir && (without == nil || other.dir != without.dir) {
			notes = append(notes, other.Pending()...)
		}
	}
	return notes
}
