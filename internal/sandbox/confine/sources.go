package confine

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"strings"
	"time"

	"pollux/internal/process"
	"pollux/internal/sandbox/broker"
	"pollux/internal/sandbox/network"
)

// ofVariable returns the secret that a variable holds.
func (c *Confinement) ofVariable(name string) func(context.Context) (broker.Secret, error) {
	return func(context.Context) (broker.Secret, error) {
		return broker.Secret{Text: strings.TrimSpace(c.options.Env(name))}, nil
	}
}

// ofGH returns the token that gh has for a host.
func (c *Confinement) ofGH(host network.Host) func(context.Context) (broker.Secret, error) {
	return func(ctx context.Context) (broker.Secret, error) {
		out, err := c.print(ctx, "", fromGH, "auth", "token", "--hostname", host.String())
		return broker.Secret{Text: strings.TrimSpace(out)}, err
	}
}

// ofGit returns the user and the password that git's credential helpers have for a host.
func (c *Confinement) ofGit(host network.Host) func(context.Context) (broker.Secret, error) {
	return func(ctx context.Context) (s broker.Secret, err error) {
		out, err := c.print(ctx, "protocol=https\nhost="+host.String()+"\n\n", fromGit, "credential", "fill")
		for line := range strings.Lines(out) {
			name, value, _ := strings.Cut(strings.TrimRight(line, "\r\n"), "=")
			switch name {
			case "username":
				s.User = value
			case "password":
				s.Text = value
			}
		}
		return s, err
	}
}

// maxPrint limits the output of a program that prints a credential, in bytes, and patience its time: a person may have to unlock a keyring.
const (
	maxPrint = 64 << 10
	patience = 2 * time.Minute
)

// print returns the output of a program of the user's, which reads in. It runs outside of the project, whose settings could name programs.
func (c *Confinement) print(ctx context.Context, in, name string, args ...string) (string, error) {
	path := c.finder().Find(name)
	if path == "" {
		return "", errors.New(name + " is not installed")
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var out, errs bytes.Buffer
	status, err := c.options.Host.Launcher.Run(ctx, &process.Command{
		For:  process.Purpose{Kind: process.KindCredential, Origin: process.OriginUser, Name: name},
		Path: path, Args: args, Dir: string(filepath.Separator), Env: withoutPrompts(c.options.Host.Environ()),
		Stdin: strings.NewReader(in), Stdout: &limited{&out}, Stderr: &limited{&errs},
	})
	switch {
	case err != nil:
		return "", err
	case status.Code != 0 || status.Signal != 0:
		reason, _, _ := strings.Cut(strings.TrimSpace(errs.String()), "\n")
		return "", errors.New(strings.Trim(name+" "+args[0]+": "+strings.TrimRight(reason, "."), ": "))
	}
	return out.String(), nil
}

// withoutPrompts returns variables with which git and gh ask for no password in the terminal, which Pollux has.
func withoutPrompts(env []string) []string {
	for _, v := range []string{"GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=", "SSH_ASKPASS=", "GH_PROMPT_DISABLED=1", "GCM_INTERACTIVE=never"} {
		env = setVariable(env, v)
	}
	return env
}

// limited is a buffer for the beginning of an output.
type limited struct{ *bytes.Buffer }

func (l *limited) Write(b []byte) (int, error) {
	_, _ = l.Buffer.Write(b[:min(len(b), maxPrint-min(l.Len(), maxPrint))])
	return len(b), nil
}

// finder finds the user's programs, which are not those of the project.
func (c *Confinement) finder() process.Finder {
	return process.Finder{Path: c.options.Env("PATH"), Outside: (*c.dirs.Load())()}
}
