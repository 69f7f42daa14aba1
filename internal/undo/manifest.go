package undo

import (
	"bufio"
	"encoding/binary"
	"hash/crc32"
	"io"
	"os"

	"pollux/internal/undo/content"
	"pollux/internal/undo/state"
	"pollux/internal/undo/tree"
)

// known is a version at a path, with all that is needed to bring it back.
type known struct {
	root, path string // of the tree, and in it
	version    tree.Version
	target     string // of a link
	id         string // of the blob, and the directory with the objects of its repository
	objects    string
	kept       content.Kept
}

// manifest is a file with the versions in trees: those before a run, for the case that the process is killed in it. Later
// entries replace earlier ones of the same path. Absent removes a path.
type manifest struct {
	file *os.File // nil if it is in memory
	w    io.Writer
	last known // entry, which the next one has much in common with
	size int64 // bytes of all entries
	line []byte
}

func createManifest(path string) (*manifest, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	return &manifest{file: f, w: bufio.NewWriterSize(f, 64<<10)}, nil
}

// add adds an entry. It is in the file after flush.
func (m *manifest) add(k known) error {
	b := m.encode(k)
	var head [8]byte
	binary.LittleEndian.PutUint32(head[:], uint32(len(b)))
	binary.LittleEndian.PutUint32(head[4:], crc32.ChecksumIEEE(b))
	m.size += int64(len(head) + len(b))
	_, err := m.w.Write(head[:])
	if err == nil {
		_, err = m.w.Write(b)
	}
	return err
}

// encode returns an entry without its sum. It is the reverse of decodeKnown.
func (m *manifest) encode(k known) []byte {
	root, objects := k.root, k.objects
	if root == m.last.root {
		root = ""
	}
	if objects == m.last.objects {
		objects = ""
	}
	m.last.root = k.root
	if k.objects != "" {
		m.last.objects = k.objects
	}
	b := m.line[:0]
	for _, s := range [...]string{root, k.path, k.target, k.id, objects} {
		b = append(binary.AppendUvarint(b, uint64(len(s))), s...)
	}
	s := k.version.State
	b = append(b, byte(s.Kind), k.version.Ref.Source, byte(k.kept.Way))
	for _, n := range []uint64{
		uint64(s.Mode), uint64(s.Size), uint64(s.Modified), uint64(s.Changed), s.Device, s.Inode, uint64(s.Owner), uint64(s.Group), uint64(k.version.Ref.Number),
	} {
		b = binary.AppendUvarint(b, n)
	}
	if hasSum(k.kept.Way) {
		b = append(b, k.kept.Sum[:]...)
	}
	m.line = b
	return b
}

// flush writes all entries to the file.
func (m *manifest) flush() error {
	if b, ok := m.w.(*bufio.Writer); ok {
		return b.Flush()
	}
	return nil
}

// maxEntry is the number of bytes that an entry may have.
const maxEntry = 1 << 20

// readManifest passes the entries of a manifest to a function, up to the first one that is not whole, and returns the
// number of their bytes.
func readManifest(r io.Reader, take func(known)) (read int64) {
	in := bufio.NewReaderSize(r, 64<<10)
	root, objects := "", ""
	for {
		var head [8]byte
		if _, err := io.ReadFull(in, head[:]); err != nil {
			return read
		}
		size := binary.LittleEndian.Uint32(head[:])
		if size > maxEntry {
			return read
		}
		b := make([]byte, size)
		if _, err := io.ReadFull(in, b); err != nil || crc32.ChecksumIEEE(b) != binary.LittleEndian.Uint32(head[4:]) {
			return read
		}
		k, ok := decodeKnown(b)
		if !ok {
			return read
		}
		if k.root == "" {
			k.root = root
		}
		if k.objects == "" && k.id != "" {
			k.objects = objects
		}
		root = k.root
		if k.objects != "" {
			objects = k.objects
		}
		take(k)
		read += int64(len(head) + len(b))
	}
}

func decodeKnown(b []byte) (k known, ok bool) {
	for _, s := range []*string{&k.root, &k.path, &k.target, &k.id, &k.objects} {
		n, size := binary.Uvarint(b)
		if size <= 0 || n > uint64(len(b)-size) {
			return k, false
		}
		*s, b = string(b[size:size+int(n)]), b[size+int(n):]
	}
	if len(b) < 3 {
		return k, false
	}
	var numbers [9]uint64
	kind, source, way := state.Kind(b[0]), b[1], content.Way(b[2])
	b = b[3:]
	for i := range numbers {
		n, size := binary.Uvarint(b)
		if size <= 0 {
			return k, false
		}
		numbers[i], b = n, b[size:]
	}
	k.version.State = state.State{
		Kind: kind, Mode: uint16(numbers[0]), Size: int64(numbers[1]), Modified: int64(numbers[2]), Changed: int64(numbers[3]),
		Device: numbers[4], Inode: numbers[5], Owner: uint32(numbers[6]), Group: uint32(numbers[7]),
	}
	k.version.Ref = tree.Ref{Source: source, Number: uint32(numbers[8])}
	k.kept.Way = way
	if hasSum(way) && copy(k.kept.Sum[:], b) != len(k.kept.Sum) {
		return k, false
	}
	return k, kind <= state.Special
}

// hasSum reports whether the sum of a content is known that is kept in this way.
func hasSum(w content.Way) bool { return w == content.Copied }
