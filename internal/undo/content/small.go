package content

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"

	"pollux/internal/undo/state"
)

// MaxSmall is the size of the largest file whose content is kept among others in one file, in bytes.
const MaxSmall = 32 << 10

// Read returns the content of the regular file at path, of at most [MaxSmall] bytes. The errors are those of [Take].
func Read(ctx context.Context, path string) (data []byte, k Kept, err error) {
	for range tries {
		data, k, err = readOnce(path)
		if !errors.Is(err, ErrChanged) || ctx.Err() != nil {
			return data, k, err
		}
	}
	return nil, Kept{}, fmt.Errorf("keep %s: %w", path, err)
}

func readOnce(path string) ([]byte, Kept, error) {
	from, before, err := open(path)
	if err != nil {
		return nil, Kept{}, err
	}
	defer from.Close()
	if before.Size > MaxSmall {
		return nil, Kept{}, ErrChanged
	}
	data := make([]byte, before.Size)
	if _, err := io.ReadFull(from, data); err != nil {
		if isEnd(err) {
			err = ErrChanged
		}
		return nil, Kept{}, err
	}
	if now, err := from.Stat(); err != nil || !state.Of(now).IsSame(before) {
		return nil, Kept{}, ErrChanged
	}
	return data, Kept{Way: Copied, Sum: sha256.Sum256(data), Bytes: before.Size, State: before}, nil
}
