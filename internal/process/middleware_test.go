//go:build unix

package process_test

import (
	"context"
	"testing"

	"pollux/internal/process"
)

// confined runs commands that the user has not chosen without an environment, as a sandbox would confine them.
func confined(next process.Handler) process.Handler {
	return func(ctx context.Context, c *process.Command) (*process.Process, error) {
		if !c.For.Origin.IsTrusted() {
			c.Args = append([]string{"-i", c.Path}, c.Args...)
			c.Path = "/usr/bin/env"
		}
		return next(ctx, c)
	}
}

func TestMiddlewareDecidesByPurpose(t *testing.T) {
	t.Parallel()
	launcher := process.NewLauncher(confined)
	for purpose, want := range map[process.Purpose]string{
		{Kind: process.KindShell, Origin: process.OriginModel}:                       "",
		{Kind: process.KindShell, Origin: process.OriginUser}:                        "open",
		{Kind: process.KindHook, Origin: process.OriginProject, Name: "lint"}:        "",
		{Kind: process.KindServer, Origin: process.OriginExtension, Name: "context"}: "",
		{Kind: process.KindGit, Origin: process.OriginPollux}:                        "open",
		{}: "",
	} {
		c := &process.Command{For: purpose, Path: "/bin/sh", Args: []string{"-c", "echo $DOOR"}, Env: []string{"DOOR=open"}}
		got, err := launcher.Ask(t.Context(), c)
		if got != want || err != nil {
			t.Errorf("%+v: got %q, %v", purpose, got, err)
		}
	}
}
