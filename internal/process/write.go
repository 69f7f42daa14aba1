package process

import (
	"context"
	"os"
	"time"
)

// Write writes to a pipe until ctx ends, and returns the number of bytes that it has written. Another write can follow. For files that are no
// pipes, ctx has no effect.
func Write(ctx context.Context, pipe *os.File, b []byte) (n int, err error) {
	expired := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(expired)
		_ = pipe.SetWriteDeadline(time.Now())
	})
	n, err = pipe.Write(b)
	if !stop() {
		<-expired // else it could hit the next write
		_ = pipe.SetWriteDeadline(time.Time{})
	}
	return n, err
}
