package project_test

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"pollux/internal/auth"
	"pollux/internal/process"
	"pollux/internal/project"
	"pollux/internal/project/projecttest"
)

// openWith opens a project whose user has these variables, and whose .env file has this text.
func openWith(t *testing.T, file string, env ...string) *project.Project {
	t.Helper()
	p := projecttest.New(t, "{}", env...)
	if err := os.WriteFile(filepath.Join(p.Paths.Dir(), ".env"), []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := p.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	return p
}

// TestEnv: until the .env file is read, the environment is that of the user. Copies of a project see the change.
func TestEnv(t *testing.T) {
	t.Parallel()
	p := openWith(t, "A=1\nB=project", "B=user")
	quiet := p.WithWarn(nil)
	if got := p.Env(); got.Get("A") != "" || got.Get("B") != "user" || len(got.OfProject()) > 0 || !slices.Equal(got.List(), p.Options.Env.List()) {
		t.Errorf("before: %q", got.List())
	}
	p.ReadEnv()
	for _, got := range []*project.Project{p, quiet} {
		if got.Env().Get("A") != "1" || got.Env().Get("B") != "user" || !got.Env().IsSetByProject("A") || got.Env().User().Get("A") != "" || got.Options.Env.Get("A") != "" {
			t.Errorf("after: %q", got.Env().List())
		}
	}
}

// TestUserVariables: a project does not choose a token for GitHub, or where a sign-in listens.
func TestUserVariables(t *testing.T) {
	t.Parallel()
	const file = "GITHUB_TOKEN=x\nOAUTH_CALLBACK_HOST=x\nOAUTH_CALLBACK_PORT=1"
	for _, user := range []string{"", "mine"} {
		var env []string
		if user != "" {
			env = []string{"GITHUB_TOKEN=" + user, "OAUTH_CALLBACK_HOST=" + user}
		}
		p := openWith(t, file, env...)
		p.ReadEnv()
		o := p.SignInOptions()
		if got := p.Fetcher().Token; got != user || o.CallbackHost != user || o.CallbackPort != "1" {
			t.Errorf("%q: the token is %q, the sign-in is at %s:%s", user, got, o.CallbackHost, o.CallbackPort)
		}
	}
}

// TestKeychainOfUser: a project does not decide where the user's secrets are stored.
func TestKeychainOfUser(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("other systems have no bus")
	}
	for _, user := range []bool{false, true} {
		dir, err := os.MkdirTemp("", "bus") // short: sockets have at most 108 bytes
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		bus, err := net.Listen("unix", filepath.Join(dir, "s"))
		if err != nil {
			t.Fatal(err)
		}
		defer bus.Close()
		called := make(chan struct{}, 100)
		go func() {
			for {
				c, err := bus.Accept()
				if err != nil {
					return
				}
				called <- struct{}{} // before the caller sees the end of its call
				c.Close()
			}
		}()
		env := []string{"DBUS_SESSION_BUS_ADDRESS=unix:path=" + bus.Addr().String()}
		if user {
			env = append(env, "GEMINI_FORCE_FILE_STORAGE=true")
		}
		p := openWith(t, "GEMINI_FORCE_FILE_STORAGE=true", env...)
		p.ReadEnv()
		accounts, err := auth.Open(auth.Inputs{Settings: p.Settings(), Env: p.Env()})
		if err != nil {
			t.Fatal(err)
		}
		_, _ = accounts.StoredKeys() // the bus answers nothing
		_, _ = p.SignInOptions().Store.Keychain.Get(t.Context(), "service", "account")
		if n := len(called); user && n > 0 || !user && n < 2 {
			t.Errorf("by the user %v: the keychain is used %d times", user, n)
		}
	}
}

// TestBrowserOfUser: the user's browser gets no variables of a project, which could lead it to another display.
func TestBrowserOfUser(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("other systems do not read BROWSER")
	}
	for file, want := range map[string]string{"WAYLAND_DISPLAY=/evil\nADDED=1": "DISPLAY=:9", "NO_BROWSER=1": "there is no browser"} {
		program := filepath.Join(t.TempDir(), "browser")
		if err := os.WriteFile(program, []byte("#!/bin/sh\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		p := openWith(t, file, "BROWSER="+program, "DISPLAY=:9", "PATH=/usr/bin:/bin")
		p.ReadEnv()
		var environ []string
		p.Launcher = process.NewLauncher(func(next process.Handler) process.Handler {
			return func(ctx context.Context, c *process.Command) (*process.Process, error) {
				environ = c.Env
				return next(ctx, c)
			}
		})
		got := ""
		if err := p.SignInOptions().Open(t.Context(), "https://example.com"); err != nil {
			got = err.Error()
		}
		if got += strings.Join(environ, " "); !strings.Contains(got, want) || strings.Contains(got, "evil") || strings.Contains(got, "ADDED") {
			t.Errorf("%s: %s", file, got)
		}
	}
}
