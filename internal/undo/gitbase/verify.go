package gitbase

import (
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"

	"pollux/internal/gitstate/index"
)

// Verify asks git for the sizes of the blobs of all files, from a reader that must read them later. A blob is the content of
// a file only if it is there and of the size that the file had when git has seen it: git may have converted line
// ends, whatever its configuration is now, because it does not write files again when that changes.
//
// It takes some 20 ms for 50,000 files whose objects are packed, and some ten times longer if none is.
//
// Blobs that the same repository, as it was before, has verified are not asked for again: nil for none.
func (r *Repository) Verify(ctx context.Context, from *Reader, before *Repository) error {
	var ids []byte
	var asked []int
	verified := make([]uint64, (r.index.Len()+63)/64)
	known := r.verifiedBy(before)
	for i := range r.index.Len() {
		e := r.index.Entry(i)
		if kind := e.Mode & index.TypeMask; e.IsOpen || e.IsSkipped || kind != index.Regular && kind != index.Link {
			continue
		}
		if known(e) {
			verified[i/64] |= 1 << (i % 64)
			continue
		}
		ids = append(hex.AppendEncode(ids, []byte(e.Hash)), '\n')
		asked = append(asked, i)
	}
	if len(asked) > 0 {
		err := from.sizes(ctx, uint8(r.hash), ids, func(n int, size int64) {
			if n < len(asked) && size == int64(r.index.Entry(asked[n]).Size) {
				verified[asked[n]/64] |= 1 << (asked[n] % 64)
			}
		})
		if err != nil {
			return err
		}
	}
	r.verified.Store(&verified)
	return nil
}

// verifiedBy returns a function that reports whether a repository has verified the blob of an entry. It is called with
// entries in ascending order.
func (r *Repository) verifiedBy(before *Repository) func(index.Entry) bool {
	if before == nil || before.ObjectDir() != r.ObjectDir() || before.hash != r.hash {
		return func(index.Entry) bool { return false }
	}
	at := 0
	return func(e index.Entry) bool {
		for at < before.index.Len() && before.index.Name(at) < e.Name {
			at++
		}
		if at == before.index.Len() || !before.isVerified(at) {
			return false
		}
		old := before.index.Entry(at)
		return old.Hash == e.Hash && old.Size == e.Size
	}
}

// Has reports for each blob whether it is there.
func (r *Reader) Has(ctx context.Context, ids []ID) ([]bool, error) {
	has := make([]bool, len(ids))
	for _, hash := range []uint8{sha1.Size, sha256.Size} {
		var text []byte
		var asked []int
		for i, id := range ids {
			if id.size == hash {
				text = append(append(text, id.String()...), '\n')
				asked = append(asked, i)
			}
		}
		if len(asked) == 0 {
			continue
		}
		err := r.sizes(ctx, hash, text, func(n int, size int64) {
			if n < len(asked) {
				has[asked[n]] = size >= 0
			}
		})
		if err != nil {
			return nil, err
		}
	}
	return has, nil
}

func (r *Repository) isVerified(i int) bool {
	v := r.verified.Load()
	return v != nil && (*v)[i/64]&(1<<(i%64)) != 0
}
