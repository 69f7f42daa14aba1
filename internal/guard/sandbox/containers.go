package sandbox

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"time"

	"pollux/internal/program"
)

// errSlow is why a program is stopped.
var errSlow = fmt.Errorf("no answer in %d s", patience/time.Second)

// docker asks the daemon for its version; the client's alone says nothing.
func docker(ctx context.Context, o *Options) Ability {
	return o.daemon(ctx, "docker", "start it, or check that your user may use it: docker info", "version", "--format", "{{.Server.Version}}")
}

// podman has a daemon only where there is a virtual machine below.
func podman(ctx context.Context, o *Options) Ability {
	if runtime.GOOS == "linux" {
		return o.daemon(ctx, "podman", "see what it says: podman --version", "--version")
	}
	return o.daemon(ctx, "podman", "start its machine: podman machine start", "version", "--format", "{{.Server.Version}}")
}

// daemon looks for a program and asks it for the version of what does the work.
func (o *Options) daemon(ctx context.Context, name, next string, args ...string) Ability {
	a := Ability{State: Missing, Detail: "it is not installed"}
	if a.Program = o.Programs.Find(name); a.Program == "" {
		return a
	}
	said, err := program.Ask(ctx, o.Env, a.Program, args...)
	if err != nil {
		a.State, a.Detail, a.Next = Broken, err.Error(), next
		return a
	}
	a.State, a.Version, a.Detail = Works, number(said), ""
	return a
}

// present looks for a program that is not asked anything: asked, it would set
// itself up.
func present(name string) func(context.Context, *Options) Ability {
	return func(_ context.Context, o *Options) Ability {
		path := o.Programs.Find(name)
		if path == "" {
			return Ability{State: Missing, Detail: "it is not installed"}
		}
		return Ability{State: Works, Program: path, Detail: "it is there, and was not tried"}
	}
}

// number returns the version in the first line of what a program says of itself.
func number(said string) string {
	line, _, _ := strings.Cut(said, "\n")
	for _, word := range strings.Fields(line) {
		if word = strings.Trim(word, ",;()"); word != "" && word[0] >= '0' && word[0] <= '9' {
			return word
		}
	}
	return ""
}
