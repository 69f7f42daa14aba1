//go:build darwin

package isolation

import (
	"context"
)

func probes() []probe {
	return []probe{{Seatbelt, seatbelt}, {Docker, docker}, {Podman, podman}}
}

// seatbelt runs a program under a profile that allows everything.
func seatbelt(ctx context.Context, o *Options) Ability {
	const path = "/usr/bin/sandbox-exec" // part of the system; never use another one
	if o.Programs.Find(path) == "" {
		return Ability{State: Missing, Detail: "not found"}
	}
	if _, err := o.ask(ctx, path, "-p", "(version 1)(allow default)", "/usr/bin/true"); err != nil {
		return Ability{State: Broken, Program: path, Detail: err.Error(), Next: "not available inside another sandbox"}
	}
	return Ability{State: Works, Program: path}
}
