// Package store is the undo log on disk: a list of operations, each with the contents before and after it.
//
//	operations/00000007          an operation: its changes, and their contents if these are small
//	operations/00000008/record   one with more: its changes
//	operations/00000008/packed   its small contents
//	operations/00000008/12       another content
//	bases/PID-…/                 a running process: the contents of files as they are now, as far as nothing else
//	                             has them, the runs that may change files, and operations that it is writing
//
// Each operation is a file or a directory of its own, complete in itself: it appears at once, when all of it is there,
// and the oldest leave by being removed. A large content that several operations have is one file with several names, so
// that the file system counts who needs it. Nothing is ever collected, moved or rewritten.
//
// A damaged record, or content, costs the operation that it belongs to, and no other one.
package store

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"pollux/internal/durable"
	"pollux/internal/durable/flock"
	"pollux/internal/undo/content"
)

// Store is the log of a project. It may be used from several goroutines and processes at once.
type Store struct {
	dir   string
	limit int64
}

// DefaultLimit is the number of bytes that the contents of a project may take.
const DefaultLimit = 1 << 30

// Open returns the store in a directory, which need not exist. limit is the number of bytes that its contents may take.
func Open(dir string, limit int64) *Store { return &Store{dir: dir, limit: limit} }

// Dir returns the directory of the store.
func (s *Store) Dir() string { return s.dir }

func (s *Store) operations() string { return filepath.Join(s.dir, "operations") }

func (s *Store) path(number int) string {
	return filepath.Join(s.operations(), fmt.Sprintf("%08d", number))
}

// File returns the path of a file in an operation that has a directory.
func (s *Store) File(number int, name string) string { return filepath.Join(s.path(number), name) }

// Numbers returns the numbers of the operations, the oldest first.
func (s *Store) Numbers() ([]int, error) {
	entries, err := os.ReadDir(s.operations())
	if err != nil && !durable.IsAbsent(err) {
		return nil, fmt.Errorf("read the undo log: %w", err)
	}
	var numbers []int
	for _, e := range entries {
		if n, err := strconv.Atoi(e.Name()); err == nil && n > 0 {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	return numbers, nil
}

// Damage is an operation that cannot be read.
type Damage struct {
	Number int
	Err    error
}

// List returns the headers of all operations, the oldest first, and those that cannot be read.
func (s *Store) List() (list []Header, damaged []Damage, err error) {
	numbers, err := s.Numbers()
	for _, n := range numbers {
		switch h, err := s.header(n); {
		case err == nil:
			list = append(list, h)
		case !durable.IsAbsent(err): // else it has left meanwhile
			damaged = append(damaged, Damage{n, err})
		}
	}
	return list, damaged, err
}

// recordFile and packedFile are the names of files in an operation that has a directory.
const (
	recordFile = "record"
	packedFile = "packed"
)

// openRecord opens the record of an operation. It does not wait for a program that writes into a pipe in its place.
func (s *Store) openRecord(number int) (*os.File, error) {
	const flags = os.O_RDONLY | syscall.O_NONBLOCK
	f, err := os.OpenFile(s.File(number, recordFile), flags, 0)
	if errors.Is(err, syscall.ENOTDIR) {
		f, err = os.OpenFile(s.path(number), flags, 0)
	}
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		_ = f.Close()
		return nil, errors.New("its record is no file")
	}
	return f, nil
}

// maxHeader is the number of bytes that a header may have.
const maxHeader = 1 << 20

func (s *Store) header(number int) (h Header, err error) {
	f, err := s.openRecord(number)
	if durable.IsAbsent(err) {
		return h, err
	}
	if err == nil {
		defer f.Close()
		var line []byte
		line, err = bufio.NewReader(io.LimitReader(f, maxHeader)).ReadBytes('\n')
		if err == nil {
			h, _, err = parseHeader(bytes.TrimSuffix(line, []byte("\n")))
		}
	}
	if err != nil {
		return h, fmt.Errorf("operation %d is damaged: %w", number, err)
	}
	h.Number = number
	if _, err := os.Lstat(s.failed(number)); err == nil {
		h.IsPartial = true
	}
	return h, nil
}

// failed is the path of a file that says that an undo, which is in the log before it begins, could not change all paths.
func (s *Store) failed(number int) string { return filepath.Join(s.path(number), "failed") }

// SetPartial notes that an undo in the log could not change all paths.
func (s *Store) SetPartial(number int) error { return os.WriteFile(s.failed(number), nil, 0o600) }

// maxRecord is the number of bytes that a record may have.
const maxRecord = 1 << 30

// Read returns an operation. The error is [fs.ErrNotExist] if there is none, for instance because it had to leave.
func (s *Store) Read(number int) (*Operation, error) {
	f, err := s.openRecord(number)
	if durable.IsAbsent(err) {
		return nil, fmt.Errorf("read operation %d: %w", number, err)
	}
	var o *Operation
	if err == nil {
		defer f.Close()
		var data []byte
		if data, err = io.ReadAll(io.LimitReader(f, maxRecord)); err == nil {
			o, err = parse(data)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("operation %d is damaged and cannot be used: %w", number, err)
	}
	o.isAt(s.path(number), number, strings.TrimPrefix(f.Name(), s.path(number)))
	return o, nil
}

var errIncomplete = errors.New("its record is incomplete")

// endMark precedes the sum of a record.
const endMark = "end "

// endSize is the number of bytes of the last line of a record, and sumSize of those at the end of a header's line that
// have its sum: the list of operations reads no more of a record.
const (
	endSize = len(endMark) + 2*sha256.Size + 1
	sumSize = len(" 00000000")
)

func headerSum(header []byte) string { return fmt.Sprintf(" %08x", crc32.ChecksumIEEE(header)) }

// parseHeader reads the line with the header, and the number of bytes of the contents in the record.
func parseHeader(line []byte) (h Header, small int64, err error) {
	at := max(len(line)-sumSize, 0)
	if string(line[at:]) != headerSum(line[:at]) {
		return h, 0, errIncomplete
	}
	line = line[:at]
	if at := bytes.LastIndexByte(line, ' '); at > 0 && line[at-1] == '}' && line[len(line)-1] != '}' {
		if small, err = strconv.ParseInt(string(line[at+1:]), 10, 64); err != nil || small < 0 {
			return h, 0, errIncomplete
		}
		line = line[:at]
	}
	return h, small, json.Unmarshal(line, &h)
}

// parse reads a record: a line with the header, one for each change, contents, and a line with a sum.
func parse(data []byte) (*Operation, error) {
	end := len(data) - endSize
	if end < 0 {
		return nil, errIncomplete
	}
	sum := sha256.Sum256(data[:end])
	if string(data[end:]) != endMark+hex.EncodeToString(sum[:])+"\n" {
		return nil, errIncomplete
	}
	header, lines, ok := bytes.Cut(data[:end], []byte("\n"))
	if !ok {
		return nil, errIncomplete
	}
	h, small, err := parseHeader(header)
	if err != nil {
		return nil, err
	}
	if small > int64(len(lines)) {
		return nil, errIncomplete
	}
	o := &Operation{Header: h, small: content.Place{At: int64(end) - small, Size: small}}
	for line := range bytes.Lines(lines[:int64(len(lines))-small]) {
		var e encoded
		if err := json.Unmarshal(line, &e); err != nil {
			return nil, err
		}
		c, ok := e.decode()
		if !ok {
			return nil, errors.New("a change in its record is impossible")
		}
		o.Changes = append(o.Changes, c)
	}
	return o, nil
}

// format is the reverse of parse, given the contents in the record.
func (o *Operation) format(small []byte) ([]byte, error) {
	header, err := json.Marshal(o.Header)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if len(small) > 0 {
		header = fmt.Appendf(header, " %d", len(small))
	}
	b.Write(header)
	b.WriteString(headerSum(header) + "\n")
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	for _, c := range o.Changes {
		err = errors.Join(err, e.Encode(encode(c)))
	}
	o.small = content.Place{At: int64(b.Len()), Size: int64(len(small))}
	b.Write(small)
	return signed(b.Bytes()), err
}

// signed adds the line with the sum to a record.
func signed(body []byte) []byte {
	sum := sha256.Sum256(body)
	return append(body, endMark+hex.EncodeToString(sum[:])+"\n"...)
}

func isAbsolute(path string) bool {
	return filepath.IsAbs(path) && !strings.Contains(filepath.ToSlash(path)+"/", "/../")
}

// Limit returns the number of bytes that the contents may take.
func (s *Store) Limit() int64 { return s.limit }

// Lock takes the lock that one undo has while it changes files, until it is released. release is nil if another process
// has it.
func (s *Store) Lock() (release func(), err error) {
	f, err := hold(filepath.Join(s.dir, "undoing"))
	if f == nil || err != nil {
		return nil, err
	}
	return func() { flock.Release(f) }, nil
}
