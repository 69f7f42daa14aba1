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
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"time"
)

// Amazon's own library for profiles makes every start of the program 0.6 ms
// longer, used or not, and the program 3 MB larger. What most people have is
// little to read, and for the rest there is Amazon's own program.

// awsKey is what requests to Amazon are signed with.
type awsKey struct {
	AccessKeyID     string `json:"AccessKeyId"`
	SecretAccessKey string
	SessionToken    string
	Expiration      time.Time
}

// keyring finds the key that an environment and its profiles name.
type keyring struct {
	Bedrock
	once sync.Once
	turn chan struct{} // holds one while nobody asks a program
	kept awsKey        // what a program said, held by whose turn it is
}

// get returns the key for a request. Files are read anew each time, since
// programs that people log in with write there; what a program says is kept
// until shortly before it expires.
func (k *keyring) get(ctx context.Context) (awsKey, error) {
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
	k.once.Do(func() { k.turn = make(chan struct{}, 1) })
	select {
	case k.turn <- struct{}{}:
		defer func() { <-k.turn }()
	case <-ctx.Done():
		return awsKey{}, context.Cause(ctx)
	}
	if time.Until(k.kept.Expiration) > expiresSoon {
		return k.kept, nil
	}
	if key, err = k.ask(ctx, p["credential_process"]); err == nil {
		k.kept = key
	}
	return key, err
}

const (
	// expiresSoon is how long before its end a key is not used any more.
	expiresSoon = time.Minute
	// unlimited is how long one is used that does not say when it ends.
	unlimited = 15 * time.Minute
	// askTime bounds how long a program may take, which may have to ask Amazon.
	askTime = time.Minute
	// maxKey bounds what it may say.
	maxKey = 64 << 10
)

// ask runs the program of a profile, or Amazon's own, which knows all kinds of
// profiles and of machines.
func (k *keyring) ask(ctx context.Context, process string) (awsKey, error) {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	var cmd *exec.Cmd
	switch name := cmp.Or(k.Profile, "default"); {
	case process != "" && runtime.GOOS == "windows":
		cmd = exec.CommandContext(ctx, "cmd.exe", "/C", process)
	case process != "":
		cmd = exec.CommandContext(ctx, "sh", "-c", process)
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
	out, complaint := limited{left: maxKey}, limited{left: 4 << 10}
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &out, &complaint, time.Second
	if err := cmd.Run(); err != nil {
		return awsKey{}, fmt.Errorf("run %s: %w: %s", process, err, strings.Join(strings.Fields(complaint.String()), " "))
	}
	var key awsKey
	if err := json.Unmarshal(out.Bytes(), &key); err != nil {
		return awsKey{}, fmt.Errorf("run %s: its output is no key: %w", process, err)
	}
	if key.AccessKeyID == "" || key.SecretAccessKey == "" {
		return awsKey{}, fmt.Errorf("run %s: its output has no AccessKeyId or no SecretAccessKey", process)
	}
	if key.Expiration.IsZero() {
		key.Expiration = time.Now().Add(unlimited)
	}
	return key, nil
}

// limited keeps the beginning of what is written.
type limited struct {
	bytes.Buffer
	left int
}

func (l *limited) Write(p []byte) (int, error) {
	kept := p[:min(len(p), l.left)]
	l.left -= len(kept)
	_, _ = l.Buffer.Write(kept) // cannot fail
	return len(p), nil
}

// profile returns the members of the profile in both files. A key in the file of
// credentials counts for more than one in the other.
func (k *keyring) profile() (map[string]string, error) {
	name := cmp.Or(k.Profile, "default")
	p, err := section(k.Config, "profile "+name)
	if err != nil {
		return nil, err
	}
	if len(p) == 0 && name == "default" {
		if p, err = section(k.Config, name); err != nil {
			return nil, err
		}
	}
	secret, err := section(k.Credentials, name)
	if err != nil {
		return nil, err
	}
	if secret["aws_access_key_id"] != "" {
		delete(p, "aws_session_token") // it belongs to another key
	}
	for member, value := range secret {
		p[member] = value
	}
	return p, nil
}

// maxProfiles bounds the size of a file of profiles.
const maxProfiles = 1 << 20

// section returns a section of a file in Amazon's form, nothing where there is no
// such file.
func section(file, name string) (map[string]string, error) {
	if file == "" {
		return map[string]string{}, nil
	}
	info, err := os.Stat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return map[string]string{}, nil
	case err != nil:
		return nil, fmt.Errorf("read profile: %w", err)
	case !info.Mode().IsRegular() || info.Size() > maxProfiles:
		return nil, fmt.Errorf("read profile: %s is no file of profiles", file)
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("read profile: %w", err)
	}
	defer func() { _ = f.Close() }() // it was only read
	data, err := io.ReadAll(io.LimitReader(f, maxProfiles))
	if err != nil {
		return nil, fmt.Errorf("read profile: %w", err)
	}
	return parseSection(string(data), name), nil
}

// parseSection finds a section as Amazon's programs do: names and values may be
// set off by "=" or ":", a value's comment begins behind a blank, lines that are
// indented below an empty value are that one's own.
func parseSection(data, name string) map[string]string {
	members := map[string]string{}
	inside, open := false, false
	for line := range strings.Lines(data) {
		line = strings.TrimRight(line, "\r\n")
		trimmed := strings.TrimSpace(line)
		if trimmed == "" || trimmed[0] == '#' || trimmed[0] == ';' {
			continue
		}
		if head, ok := heading(line); ok {
			inside, open = head == name, false
			continue
		}
		indented := line[0] == ' ' || line[0] == '\t'
		if !inside || indented && open {
			continue
		}
		member, value, ok := property(line)
		if !ok {
			continue
		}
		members[member] = value
		open = value == ""
	}
	return members
}

// heading returns the name in a line like "[profile work] # mine".
func heading(line string) (name string, ok bool) {
	line, _, _ = strings.Cut(line, "#")
	line, _, _ = strings.Cut(line, ";")
	line = strings.TrimSpace(line)
	if len(line) < 2 || line[0] != '[' || line[len(line)-1] != ']' {
		return "", false
	}
	return strings.Join(strings.Fields(line[1:len(line)-1]), " "), true
}

// property returns what a line like "region = eu-west-1 # near" says.
func property(line string) (name, value string, ok bool) {
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
