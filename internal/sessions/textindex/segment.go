package textindex

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"math/bits"
)

// A segment is a file with entries. Numbers are little-endian:
//
//	magic
//	for each session file:
//	    length of its name (2 bytes), its name, its state (4 numbers of 8 bytes)
//	    how far it is covered (8), number of its blocks (4)
//	    for each block: its length (8), the CRC of its content (4), the logarithm of a fifth of
//	        the length of its signature and whether it is plain (1), its signature
//	    CRC of the entry (4)
const magic = "pollux text 1\r\n\x00"

const (
	// blockSize is the length at which a block ends, in bytes. Its last line can make it longer.
	blockSize = 128 << 10
	// maxCovered limits the indexed part of a file, in bytes. Each search reads the rest.
	maxCovered = 1 << 30
)

// entry is the index entry of a session file.
type entry struct {
	File
	covered int64
	blocks  []block
	at, end int64 // of the entry in its segment
}

// appendHeader appends the header before the blocks.
func (e *entry) appendHeader(to []byte) []byte {
	to = binary.LittleEndian.AppendUint16(to, uint16(len(e.Name)))
	to = append(to, e.Name...)
	for _, n := range [...]uint64{uint64(e.Size), uint64(e.modified), uint64(e.changed), e.number, uint64(e.covered)} {
		to = binary.LittleEndian.AppendUint64(to, n)
	}
	return binary.LittleEndian.AppendUint32(to, uint32(len(e.blocks)))
}

// plain marks a block in which no letter is written as an escape sequence.
const plain = 0x80

// appendBlock appends a block with its signature.
func appendBlock(to []byte, b block, s signature) []byte {
	to = binary.LittleEndian.AppendUint64(to, uint64(b.length))
	to = binary.LittleEndian.AppendUint32(to, b.sum)
	kind := byte(bits.Len(uint(len(s)/minSignature)) - 1)
	if b.isPlain {
		kind |= plain
	}
	to = append(to, kind)
	return append(to, s...)
}

// encode returns the entry with blocks as appendBlock has appended them.
func (e *entry) encode(blocks []byte) []byte {
	data := append(e.appendHeader(make([]byte, 0, len(blocks)+len(e.Name)+64)), blocks...)
	return binary.LittleEndian.AppendUint32(data, crc32.Checksum(data, castagnoli()))
}

// segmentReader reads the entries of a segment. Whatever the segment contains, it needs little memory.
type segmentReader struct {
	r      *bufio.Reader
	at     int64
	sum    uint32
	hashes []uint32 // of the text to find
	// sizeOf returns the size of a session file, in bytes; false if there is none. Blocks of a file
	// that has none, or has become shorter, are not kept.
	sizeOf func(name string) (int64, bool)
}

var errCorrupt = errors.New("corrupt segment")

func newSegmentReader(r io.Reader, hashes []uint32, sizeOf func(name string) (int64, bool)) (*segmentReader, error) {
	s := &segmentReader{r: bufio.NewReaderSize(r, 64<<10), hashes: hashes, sizeOf: sizeOf}
	if b, err := s.take(len(magic)); err != nil || string(b) != magic {
		return nil, errCorrupt
	}
	return s, nil
}

// take returns the next bytes, at most 64 KB, which are valid until the next call.
func (s *segmentReader) take(n int) ([]byte, error) {
	b, err := s.r.Peek(n)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errCorrupt, err)
	}
	s.sum = crc32.Update(s.sum, castagnoli(), b)
	s.at += int64(n)
	_, err = s.r.Discard(n)
	return b, err
}

// next reads the next entry. The error is io.EOF after the last one.
func (s *segmentReader) next() (*entry, error) {
	if _, err := s.r.Peek(1); errors.Is(err, io.EOF) {
		return nil, io.EOF
	}
	e := &entry{at: s.at}
	s.sum = 0
	count, err := s.header(e)
	if err != nil {
		return nil, err
	}
	size, isKnown := s.sizeOf(e.Name)
	isKept := isKnown && e.covered <= size
	at := int64(0)
	for i := range count {
		b, err := s.block(at)
		if err != nil || b.length > e.covered-at || b.length < blockSize && i < count-1 {
			return nil, errors.Join(errCorrupt, err)
		}
		if isKept {
			e.blocks = append(e.blocks, b)
		}
		at += b.length
	}
	sum := s.sum
	b, err := s.take(4)
	if err != nil || binary.LittleEndian.Uint32(b) != sum || at != e.covered {
		return nil, errors.Join(errCorrupt, err)
	}
	e.end = s.at
	return e, nil
}

// header reads the header before the blocks. It returns the number of blocks.
func (s *segmentReader) header(e *entry) (count uint32, err error) {
	b, err := s.take(2)
	if err != nil {
		return 0, err
	}
	if b, err = s.take(int(binary.LittleEndian.Uint16(b))); err != nil {
		return 0, err
	}
	e.Name = string(b)
	if b, err = s.take(5*8 + 4); err != nil {
		return 0, err
	}
	number := func(i int) int64 { return int64(binary.LittleEndian.Uint64(b[8*i:])) }
	e.State = State{Size: number(0), modified: number(1), changed: number(2), number: uint64(number(3))}
	e.covered = number(4)
	if e.covered < 0 || e.covered > e.Size {
		return 0, errCorrupt
	}
	return binary.LittleEndian.Uint32(b[5*8:]), nil
}

// block reads a block that begins at an offset of the session file.
func (s *segmentReader) block(at int64) (block, error) {
	b, err := s.take(8 + 4 + 1)
	if err != nil {
		return block{}, err
	}
	length, sum, kind := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint32(b[8:]), b[12]
	log := kind &^ plain
	if length == 0 || length > math.MaxInt64 || log > logMaxSignature {
		return block{}, errCorrupt
	}
	if b, err = s.take(minSignature << log); err != nil {
		return block{}, err
	}
	return block{at, int64(length), sum, kind&plain != 0, signature(b).mayContain(s.hashes)}, nil
}
