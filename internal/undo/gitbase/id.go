package gitbase

import (
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
)

// ID is the id of a blob, which is a hash of its content. IDs can be compared with ==.
type ID struct {
	hash [sha256.Size]byte
	size uint8 // of the hash, in bytes; 0 for the zero ID, which is the id of no blob
}

// Parse parses an id as [ID.String] returns it.
func Parse(text string) (ID, error) {
	var id ID
	b, err := hex.DecodeString(text)
	if err != nil || len(b) != sha1.Size && len(b) != sha256.Size {
		return ID{}, fmt.Errorf("%q is not the id of a git object", text)
	}
	id.size = uint8(copy(id.hash[:], b))
	return id, nil
}

// String returns the id as git writes it: 40 or 64 hexadecimal digits.
func (id ID) String() string { return hex.EncodeToString(id.hash[:id.size]) }

func idOf(binary string) (id ID) {
	id.size = uint8(copy(id.hash[:], binary))
	return id
}

// IsOf reports whether the id is that of a content of a size, which it reads.
func (id ID) IsOf(r io.Reader, size int64) bool {
	if id.size == 0 {
		return false
	}
	sum := newHash(id.size)
	fmt.Fprintf(sum, "blob %d\x00", size)
	n, err := io.Copy(sum, r)
	return err == nil && n == size && idOf(string(sum.Sum(nil))) == id
}

// newHash returns the hash function of the repositories in which hashes have this size.
func newHash(size uint8) hash.Hash {
	if size == sha256.Size {
		return sha256.New()
	}
	return sha1.New()
}
