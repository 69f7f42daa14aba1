//go:build !linux

package container

import "context"

// untilHangup returns the context: other systems have no way to watch a terminal without reading from it.
func (o *Options) untilHangup(ctx context.Context) (context.Context, context.CancelFunc) {
	return ctx, func() {}
}
