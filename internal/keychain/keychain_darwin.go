package keychain

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

// system returns the keychain that the user's session has open, by way of the program
// that comes with macOS. (go-keyring does so, too, but stores an encoding of the
// secret, which Gemini CLI does not know.)
func system(o Options) backend { return security{o.Person} }

type security struct{ person bool }

func (s security) get(ctx context.Context, service, account string) (string, error) {
	_, said, err := s.run(ctx, "", "find-generic-password", "-s", service, "-a", account, "-g")
	if err != nil {
		return "", err
	}
	return passwordIn(said)
}

// set gives the secret to the program as input, for its arguments are everybody's to
// see. There "-X" takes hexadecimal digits, which need no quoting.
func (s security) set(ctx context.Context, service, account, secret string) error {
	line := fmt.Sprintf("add-generic-password -U -s %s -a %s -l %s -X %s\n",
		quote(service), quote(account), quote(service+"/"+account), hex.EncodeToString([]byte(secret)))
	const longest = 4000 // of a longer line the program takes a piece for the whole
	if len(line) > longest {
		return errors.New("the secret is too long for it")
	}
	_, said, err := s.run(ctx, line, "-i")
	if err == nil && len(bytes.TrimSpace(said)) > 0 { // interactive, it ends well in any case
		err = errors.New(string(bytes.TrimSpace(said)))
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

// run runs the program; what it prints is for programs, what it says for people.
func (s security) run(ctx context.Context, input string, args ...string) (printed, said []byte, err error) {
	if s.person { // whom macOS may ask, but does not say so
		bear(ctx)
	}
	cmd := exec.CommandContext(ctx, "/usr/bin/security", args...)
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = strings.NewReader(input), &out, &errs, time.Second
	err = cmd.Run()
	const notFound = 44
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		err = ctx.Err()
	case errors.As(err, &exit) && exit.ExitCode() == notFound:
		err = ErrNotFound
	case err != nil && args[len(args)-1] != "-g": // which shows the secret
		err = fmt.Errorf("%w: %s", err, bytes.TrimSpace(errs.Bytes()))
	}
	return out.Bytes(), errs.Bytes(), err
}
