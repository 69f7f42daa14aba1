package confine

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"pollux/internal/process"
	"pollux/internal/sandbox/broker"
	"pollux/internal/sandbox/network"
)

// source returns a secret, see [broker.Credential].
type source = func(ctx context.Context, user string) (broker.Secret, error)

// ofVariable returns the secret that a variable holds.
func (c *Confinement) ofVariable(name string) source {
	return func(context.Context, string) (broker.Secret, error) {
		return broker.Secret{Text: strings.TrimSpace(c.options.Env(name))}, nil
	}
}

// ofGH returns the token that gh has for a host.
func (c *Confinement) ofGH(host network.Host) source {
	return func(ctx context.Context, _ string) (broker.Secret, error) {
		out, err := c.print(ctx, "", fromGH, "auth", "token", "--hostname", host.String())
		if err != nil {
			err = fmt.Errorf("%w; run gh auth login outside of the sandbox", err)
		}
		return broker.Secret{Text: strings.TrimSpace(out)}, err
	}
}

// anyUser is the user that commands have in requests where they name none.
const anyUser = "x-access-token"

// ofGit returns the user and the password that git's credential helpers have for a host, and for a user that a command names.
func (c *Confinement) ofGit(host network.Host) source {
	return func(ctx context.Context, user string) (s broker.Secret, err error) {
		in := "protocol=https\nhost=" + host.String() + "\n"
		if user != "" && user != anyUser {
			if strings.ContainsAny(user, "\r\n\x00") {
				return s, errors.New("the name of the user has more than one line")
			}
			in += "username=" + user + "\n"
		}
		out, err := c.print(ctx, in+"\n", fromGit, "credential", "fill")
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
	out, errs := process.Head{Max: maxPrint}, process.Head{Max: maxPrint}
	status, err := c.options.Host.Launcher.Run(ctx, &process.Command{
		For:  process.Purpose{Kind: process.KindCredential, Origin: process.OriginUser, Name: name},
		Path: path, Args: args, Dir: string(filepath.Separator), Env: withoutPrompts(c.options.Host.Environ()),
		Stdin: strings.NewReader(in), Stdout: &out, Stderr: &errs,
	})
	switch {
	case err != nil:
		return "", err
	case status.Code != 0 || status.Signal != 0:
		reason, _, _ := strings.Cut(errs.Text(), "\n")
		return "", errors.New(strings.Trim(name+" "+args[0]+": "+strings.TrimRight(reason, "."), ": "))
	}
	return string(out.Bytes()), nil
}

// withoutPrompts returns variables with which git and gh ask for no password in the terminal, which Pollux has.
func withoutPrompts(env []string) []string {
	for _, v := range []string{"GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=", "SSH_ASKPASS=", "GH_PROMPT_DISABLED=1", "GCM_INTERACTIVE=never"} {
		env = setVariable(env, v)
	}
	return env
}

// finder finds the user's programs, which are not those of the project.
func (c *Confinement) finder() process.Finder {
	return process.Finder{Path: c.options.Env("PATH"), Outside: (*c.dirs.Load())()}
}

// ofNPM returns the credential of a registry that npm's settings in a file have now.
func (c *Confinement) ofNPM(path, key string) source {
	return func(context.Context, string) (broker.Secret, error) {
		for _, r := range c.readNPM(path, func(string) string { return "" }).registries {
			if r.key == key {
				return r.secret, nil
			}
		}
		return broker.Secret{}, nil
	}
}
