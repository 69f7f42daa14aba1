package confine

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"pollux/internal/durable"
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

// npmrc is npm's settings of the user.
type npmrc struct {
	path       string
	registries []registry
	// masked is the text with placeholders.
	masked []byte
}

// registry is a registry with a credential.
type registry struct {
	host        network.Host
	placeholder string
	secret      broker.Secret
}

// npmrcPath returns the path of npm's settings of the user.
func (c *Confinement) npmrcPath() string {
	for _, name := range [...]string{"npm_config_userconfig", "NPM_CONFIG_USERCONFIG"} {
		if path := c.options.Env(name); filepath.IsAbs(path) {
			return path
		}
	}
	return filepath.Join(c.options.Env("HOME"), ".npmrc")
}

// npmCAFile returns the file with the only authorities that npm trusts, "" for those that Node trusts.
func (c *Confinement) npmCAFile() string {
	global := c.options.Env("NPM_CONFIG_GLOBALCONFIG")
	if node := c.finder().Find("node"); global == "" && node != "" {
		global = filepath.Join(filepath.Dir(filepath.Dir(node)), "etc", "npmrc")
	}
	for _, path := range [...]string{c.npmrcPath(), global} {
		text, _ := durable.ReadFile(path, 1<<20) // it need not exist
		for line := range strings.Lines(string(text)) {
			key, value, _ := strings.Cut(line, "=")
			if value = unquote(strings.TrimSpace(value)); strings.TrimSpace(key) == "cafile" && filepath.IsAbs(value) {
				return value
			}
		}
	}
	return ""
}

// readNPM reads npm's settings of the user. newPlaceholder returns one for a secret.
func (c *Confinement) readNPM(newPlaceholder func(secret string) string) (n npmrc, err error) {
	n.path = c.npmrcPath()
	text, err := durable.ReadFile(n.path, 1<<20)
	if err != nil {
		return n, err
	}
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		key, value, hasValue := strings.Cut(lines.Text(), "=")
		at := strings.LastIndexByte(key, ':')
		if name := strings.TrimSpace(key[at+1:]); !hasValue || name != "_authToken" && name != "_auth" && name != "_password" {
			n.masked = append(append(n.masked, lines.Bytes()...), '\n')
			continue
		}
		if at < 0 { // npm does not know the registry of such a line any more
			continue
		}
		r, text, ok := c.readRegistry(strings.TrimSpace(key[:at]), strings.TrimSpace(key[at+1:]), unquote(strings.TrimSpace(value)), newPlaceholder)
		if ok {
			n.registries = append(n.registries, r)
			n.masked = append(n.masked, key+"="+text+"\n"...)
		}
	}
	return n, lines.Err()
}

// readRegistry reads the credential of a registry, and returns the value that programs see. A line without one that is known is left out.
func (c *Confinement) readRegistry(address, kind, value string, newPlaceholder func(string) string) (r registry, text string, ok bool) {
	u, err := url.Parse("https:" + address)
	if err != nil {
		return r, "", false
	}
	if r.host, err = network.ParseHost(u.Host); err != nil {
		return r, "", false
	}
	if name, isVariable := strings.CutPrefix(value, "${"); isVariable {
		value = c.options.Env(strings.TrimRight(name, "?}"))
	}
	if kind == "_authToken" {
		r.secret.Text = value
		r.placeholder = newPlaceholder(value)
		return r, r.placeholder, value != ""
	}
	plain, err := base64.StdEncoding.DecodeString(value)
	if err != nil {
		return r, "", false
	}
	user, password := "", string(plain)
	if kind == "_auth" {
		var hasUser bool
		if user, password, hasUser = strings.Cut(password, ":"); !hasUser {
			return r, "", false
		}
		user += ":"
	}
	r.secret.Text = password
	r.placeholder = newPlaceholder(password)
	return r, base64.StdEncoding.EncodeToString([]byte(user + r.placeholder)), password != ""
}

// unquote returns a value of npm's settings without quotation marks.
func unquote(value string) string {
	for _, mark := range [...]string{`"`, "'"} {
		if len(value) >= 2 && strings.HasPrefix(value, mark) && strings.HasSuffix(value, mark) {
			return value[1 : len(value)-1]
		}
	}
	return value
}
