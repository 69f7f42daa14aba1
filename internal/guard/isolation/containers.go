package isolation

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"time"
)

// errSlow is the reason for stopping a program.
var errSlow = fmt.Errorf("no response within %d s", timeout/time.Second)

// docker queries the version of the daemon, because the client works without it.
func docker(ctx context.Context, o *Options) Ability {
	if o.IsOffline {
		return present("docker")(ctx, o)
	}
	return o.daemon(ctx, "docker", "start Docker, or check your permissions with docker info", "version", "--format", "{{.Server.Version}}")
}

// podman has a daemon only on systems where it needs a virtual machine.
func podman(ctx context.Context, o *Options) Ability {
	if runtime.GOOS == "linux" {
		return o.daemon(ctx, "podman", "run podman --version to see the error", "--version")
	}
	if o.IsOffline {
		return present("podman")(ctx, o)
	}
	return o.daemon(ctx, "podman", "run podman machine start", "version", "--format", "{{.Server.Version}}")
}

// daemon looks for a program and runs it to query the version of its daemon.
func (o *Options) daemon(ctx context.Context, name, next string, args ...string) Ability {
	a := Ability{State: Missing, Detail: "not installed"}
	if a.Program = o.Programs.Find(name); a.Program == "" {
		return a
	}
	said, err := o.ask(ctx, a.Program, args...)
	if err != nil {
		a.State, a.Detail, a.Next = Broken, err.Error(), next
		return a
	}
	a.State, a.Version, a.Detail = Works, versionIn(said), ""
	return a
}

// present looks for a program without running it: running it would initialize it, or make a connection.
func present(name string) func(context.Context, *Options) Ability {
	return func(_ context.Context, o *Options) Ability {
		path := o.Programs.Find(name)
		if path == "" {
			return Ability{State: Missing, Detail: "not installed"}
		}
		return Ability{State: Works, Program: path, Detail: "installed, not tested"}
	}
}

// versionIn returns the version in the first line of a program's output.
func versionIn(said string) string {
	line, _, _ := strings.Cut(said, "\n")
	for _, word := range strings.Fields(line) {
		if word = strings.Trim(word, ",;()"); word != "" && word[0] >= '0' && word[0] <= '9' {
			return word
		}
	}
	return ""
}
