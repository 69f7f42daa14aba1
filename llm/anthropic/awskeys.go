package anthropic

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"time"
)

// Pollux reads AWS profiles and signs requests itself, because Amazon's library adds 0.6 ms to each
// start and 3 MB to the binary. For kinds of profiles other than keys and
// credential_process it runs the aws command.

// awsKey is a key that signs requests to AWS.
type awsKey struct {
	AccessKeyID     string `json:"AccessKeyId"`
	SecretAccessKey string
	SessionToken    string
	Expiration      time.Time
}

// keyring finds the key that the environment and AWS profiles configure.
type keyring struct {
	Bedrock
	once   sync.Once
	slot   chan struct{} // semaphore of one for runProcess
	cached awsKey        // last result of runProcess; guarded by slot
}

// key returns the key for a request. It reads the files for each request, because
// sign-in programs write them, and caches the result of a credential process until
// shortly before it expires.
func (k *keyring) key(ctx context.Context) (awsKey, error) {
	if k.AccessKeyID != "" && k.SecretAccessKey != "" {
		return awsKey{AccessKeyID: k.AccessKeyID, SecretAccessKey: k.SecretAccessKey, SessionToken: k.SessionToken}, nil
	}
	p, err := k.profile()
	if err != nil {
		return awsKey{}, err
	}
	key := awsKey{AccessKeyID: p["aws_access_key_id"], SecretAccessKey: p["aws_secret_access_key"], SessionToken: p["aws_session_token"]}
	if key.AccessKeyID != "" && key.SecretAccessKey != "" && p["role_arn"] == "" {
		return key, nil
	}
	k.once.Do(func() { k.slot = make(chan struct{}, 1) })
	select {
	case k.slot <- struct{}{}:
		defer func() { <-k.slot }()
	case <-ctx.Done():
		return awsKey{}, context.Cause(ctx)
	}
	if time.Until(k.cached.Expiration) > expiryMargin {
		return k.cached, nil
	}
	if key, err = k.runProcess(ctx, p["credential_process"]); err == nil {
		k.cached = key
	}
	return key, err
}

const (
	// expiryMargin is how long before its expiration a key is renewed.
	expiryMargin = time.Minute
	// defaultLifetime is the lifetime of a key without an expiration.
	defaultLifetime = 15 * time.Minute
	// processTimeout limits the time of a credential process, which may use the
	// network.
	processTimeout = time.Minute
	// maxProcessOutput limits the output of a credential process, in bytes.
	maxProcessOutput = 64 << 10
)

// runProcess returns the key that a credential process prints: the command in
// process, or "aws configure export-credentials" if process is "".
func (k *keyring) runProcess(ctx context.Context, process string) (awsKey, error) {
	ctx, cancel := context.WithTimeout(ctx, processTimeout)
	defer cancel()
	var cmd *exec.Cmd
	switch name := cmp.Or(k.Profile, "default"); {
	case process != "" && runtime.GOOS == "windows":
		cmd = exec.CommandContext(ctx, "cmd.exe", "/C", process)
	case process != "":
		script := process
		if isOneProgram(process) {
			script = "exec " + process // else the end of the shell would leave the program
		}
		cmd = exec.CommandContext(ctx, "sh", "-c", script)
	default:
		if _, err := exec.LookPath("aws"); err != nil {
			return awsKey{}, fmt.Errorf("profile %q has no key, and the program aws, which knows more, is not installed", name)
		}
		process = "aws configure export-credentials"
		cmd = exec.CommandContext(ctx, "aws", "configure", "export-credentials", "--format", "process")
		if k.Profile != "" {
			cmd.Args = append(cmd.Args, "--profile", k.Profile)
		}
	}
	out, stderr := limitedBuffer{remaining: maxProcessOutput}, limitedBuffer{remaining: 4 << 10}
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &out, &stderr, time.Second
	if err := cmd.Run(); err != nil {
		return awsKey{}, fmt.Errorf("run %s: %w: %s", process, err, strings.Join(strings.Fields(stderr.String()), " "))
	}
	var key awsKey
	if err := json.Unmarshal(out.Bytes(), &key); err != nil {
		return awsKey{}, fmt.Errorf("run %s: its output is no key: %w", process, err)
	}
	if key.AccessKeyID == "" || key.SecretAccessKey == "" {
		return awsKey{}, fmt.Errorf("run %s: its output has no AccessKeyId or no SecretAccessKey", process)
	}
	if key.Expiration.IsZero() {
		key.Expiration = time.Now().Add(defaultLifetime)
	}
	return key, nil
}

// isOneProgram reports whether a shell command is the name of a program with arguments.
func isOneProgram(command string) bool {
	words := strings.Fields(command)
	if len(words) == 0 || strings.ContainsAny(command, ";&|\n") {
		return false
	}
	_, err := exec.LookPath(words[0])
	return err == nil
}

// limitedBuffer keeps the first bytes that are written to it and discards the rest.
type limitedBuffer struct {
	bytes.Buffer
	remaining int
}

func (l *limitedBuffer) Write(p []byte) (int, error) {
	kept := p[:min(len(p), l.remaining)]
	l.remaining -= len(kept)
	_, _ = l.Buffer.Write(kept) // cannot fail
	return len(p), nil
}

// profile returns the members of the profile in the files Config and Credentials. A
// key in Credentials overrides one in Config.
func (k *keyring) profile() (map[string]string, error) {
	name := cmp.Or(k.Profile, "default")
	p, err := readSection(k.Config, "profile "+name)
	if err != nil {
		return nil, err
	}
	if len(p) == 0 && name == "default" {
		if p, err = readSection(k.Config, name); err != nil {
			return nil, err
		}
	}
	secret, err := readSection(k.Credentials, name)
	if err != nil {
		return nil, err
	}
	if secret["aws_access_key_id"] != "" {
		delete(p, "aws_session_token") // belongs to the key in Config
	}
	maps.Copy(p, secret)
	return p, nil
}

// maxProfileFile is the maximum size of a file of profiles, in bytes.
const maxProfileFile = 1 << 20

// readSection returns the members of a section of an AWS configuration file, none if
// the file does not exist.
func readSection(file, name string) (map[string]string, error) {
	if file == "" {
		return map[string]string{}, nil
	}
	info, err := os.Stat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return map[string]string{}, nil
	case err != nil:
		return nil, fmt.Errorf("read profile: %w", err)
	case !info.Mode().IsRegular() || info.Size() > maxProfileFile:
		return nil, fmt.Errorf("read profile: %s is no file of profiles", file)
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("read profile: %w", err)
	}
	defer func() { _ = f.Close() }() // it was only read
	data, err := io.ReadAll(io.LimitReader(f, maxProfileFile))
	if err != nil {
		return nil, fmt.Errorf("read profile: %w", err)
	}
	return parseSection(string(data), name), nil
}

// parseSection returns the members of a section, parsed as AWS tools do: "=" or ":"
// follows a name, a comment in a value starts after a space, and indented lines below
// an empty value belong to that value.
func parseSection(data, name string) map[string]string {
	members := map[string]string{}
	inside, open := false, false
	for line := range strings.Lines(data) {
		line = strings.TrimRight(line, "\r\n")
		trimmed := strings.TrimSpace(line)
		if trimmed == "" || trimmed[0] == '#' || trimmed[0] == ';' {
			continue
		}
		if head, ok := sectionName(line); ok {
			inside, open = head == name, false
			continue
		}
		indented := line[0] == ' ' || line[0] == '\t'
		if !inside || indented && open {
			continue
		}
		member, value, ok := parseMember(line)
		if !ok {
			continue
		}
		members[member] = value
		open = value == ""
	}
	return members
}

// sectionName returns the name in a line such as "[profile work] # mine".
func sectionName(line string) (name string, ok bool) {
	line, _, _ = strings.Cut(line, "#")
	line, _, _ = strings.Cut(line, ";")
	line = strings.TrimSpace(line)
	if len(line) < 2 || line[0] != '[' || line[len(line)-1] != ']' {
		return "", false
	}
	return strings.Join(strings.Fields(line[1:len(line)-1]), " "), true
}

// parseMember returns the name and value in a line such as "region = eu-west-1 #
// near".
func parseMember(line string) (name, value string, ok bool) {
	for _, comment := range []string{" #", " ;", "\t#", "\t;"} {
		line, _, _ = strings.Cut(line, comment)
	}
	at := strings.IndexAny(line, "=:")
	if at < 0 {
		return "", "", false
	}
	value = strings.TrimSpace(line[at+1:])
	for _, quote := range []string{`"`, `'`} {
		if len(value) > 1 && strings.HasPrefix(value, quote) && strings.HasSuffix(value, quote) {
			value = value[1 : len(value)-1]
			break
		}
	}
	return strings.ToLower(strings.TrimSpace(line[:at])), value, true
}
