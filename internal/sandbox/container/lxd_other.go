//go:build !linux

package container

import (
	"context"

	"pollux/internal/exit"
)

func (o *Options) runWithLXD(context.Context, string) error {
	return exit.Errorf(exit.Sandbox, "LXD (lxc) is only available on Linux. Use docker or podman.")
}
