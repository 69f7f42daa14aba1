package keychain

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"pollux/internal/process"
)

// newSystem returns the keychain of the user's login session, accessed through the security(1)
// program of macOS. (go-keyring stores an encoding of the secret that Gemini CLI does not
// know.)
func newSystem(o Options) backend { return security{o.Launcher, o.Interactive, o.Environ} }

type security struct {
	launcher    process.Launcher
	interactive bool
	environ     func() []string
}

func (s security) get(ctx context.Context, service, account string) (string, error) {
	_, stderr, err := s.run(ctx, "", "find-generic-password", "-s", service, "-a", account, "-g")
	if err != nil {
		return "", err
	}
	return passwordIn(stderr)
}

// set passes the secret on standard input because other users can see a program's arguments.
// "-X" takes hexadecimal digits, which need no quoting.
func (s security) set(ctx context.Context, service, account, secret string) error {
	line := fmt.Sprintf("add-generic-password -U -s %s -a %s -l %s -X %s\n",
		quote(service), quote(account), quote(service+"/"+account), hex.EncodeToString([]byte(secret)))
	const longest = 4000 // the program silently truncates longer lines
	if len(line) > longest {
		return errors.New("the secret is too long")
	}
	_, stderr, err := s.run(ctx, line, "-i")
	if err == nil && len(bytes.TrimSpace(stderr)) > 0 { // in interactive mode the exit code is always 0
		err = errors.New(string(bytes.TrimSpace(stderr)))
	}
	return err
}

func (s security) remove(ctx context.Context, service, account string) error {
	_, _, err := s.run(ctx, "", "delete-generic-password", "-s", service, "-a", account)
	return err
}

func (s security) list(ctx context.Context, service string) ([]string, error) {
	out, _, err := s.run(ctx, "", "dump-keychain")
	return accountsIn(out, service), err
}

// run runs security(1) and returns its standard output and error.
func (s security) run(ctx context.Context, input string, args ...string) (stdout, stderr []byte, err error) {
	if s.interactive { // macOS may ask the user, without notice
		extendTimeout(ctx)
	}
	var out, errs bytes.Buffer
	var environ []string
	if s.environ != nil {
		environ = s.environ()
	}
	status, err := s.launcher.Run(ctx, &process.Command{
		For:  process.Purpose{Kind: process.KindCredential, Origin: process.OriginPollux},
		Path: "/usr/bin/security", Args: args, Env: environ, Stdin: strings.NewReader(input), Stdout: &out, Stderr: &errs,
	})
	const notFound = 44
	switch {
	case ctx.Err() != nil:
		err = ctx.Err()
	case err != nil:
	case status.Code == notFound:
		err = ErrNotFound
	case status != process.Status{} && args[len(args)-1] == "-g": // which prints the secret
		err = errors.New(status.String())
	case status != process.Status{}:
		err = fmt.Errorf("%s: %s", status, bytes.TrimSpace(errs.Bytes()))
	}
	return out.Bytes(), errs.Bytes(), err
}
