//go:build unix

// Package npm installs programs from npm for tests that compare Pollux with them.
package npm

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"pollux/internal/durable/flock"
	"pollux/internal/process"
)

// ErrChecksum reports that the registry's package is not the recorded one.
var ErrChecksum = errors.New("npm sends a package with another checksum")

// Install installs the packages of the package.json and package-lock.json in the directory lock, once for all tests and
// runs, and returns the directory that has node_modules. Scripts of the packages are not run. It fails if node or npm is missing.
func Install(lock, name string) (string, error) {
	if err := checkNode(); err != nil {
		return "", err
	}
	dir, err := Dir(lock, name)
	if err != nil {
		return "", err
	}
	return dir, install(lock, dir, filepath.Join(dir, "installed"))
}

func checkNode() error {
	out, err := run(context.Background(), "", "node", "--version")
	if err != nil {
		return err
	}
	version := strings.TrimSpace(out)
	major, _, _ := strings.Cut(strings.TrimPrefix(version, "v"), ".")
	if n, err := strconv.Atoi(major); err != nil || n < 20 {
		return fmt.Errorf("node is %s, and 20 is needed", version)
	}
	return nil
}

// Dir returns the directory where Install installs these versions: in the user's cache, outside the repository, so that npm
// downloads them once.
func Dir(lock, name string) (string, error) {
	text, err := os.ReadFile(filepath.Join(lock, "package-lock.json"))
	if err != nil {
		return "", err
	}
	base, err := os.UserCacheDir()
	if err != nil {
		base = os.TempDir()
	}
	return filepath.Join(base, "pollux-test", fmt.Sprintf("%s-%x", name, sha256.Sum256(text))[:len(name)+17]), nil
}

// install fills dir, unless the file done is there, which it writes last. Other
// processes wait for the one that does it.
func install(packages, dir, done string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	lock, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer flock.Release(lock)
	if err := flock.Wait(lock); err != nil {
		return err
	}
	if _, err := os.Stat(done); err == nil {
		return nil
	}
	for _, name := range []string{"package.json", "package-lock.json"} {
		text, err := os.ReadFile(filepath.Join(packages, name))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	out, err := run(ctx, dir, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=1", "--fetch-timeout=120000")
	if err != nil && strings.Contains(out, "EINTEGRITY") {
		return fmt.Errorf("%w: %s", ErrChecksum, last(out, 500))
	}
	if err != nil {
		return fmt.Errorf("npm ci: %w: %s", err, last(out, 500))
	}
	return os.WriteFile(done, nil, 0o600)
}

func last(s string, n int) string { return s[max(0, len(s)-n):] }

// run runs a program to its end, and returns its output.
func run(ctx context.Context, dir, name string, args ...string) (string, error) {
	path := process.Finder{Path: os.Getenv("PATH")}.Find(name)
	if path == "" {
		return "", fmt.Errorf("%s is not on this machine", name)
	}
	var out bytes.Buffer
	status, err := process.Launcher{}.Run(ctx, &process.Command{
		For: process.Purpose{Kind: process.KindTool, Origin: process.OriginPollux}, Path: path, Args: args, Dir: dir, Env: os.Environ(), Stdout: &out, Stderr: &out,
	})
	if err == nil && status.Code != 0 {
		err = fmt.Errorf("exit status %d", status.Code)
	}
	return out.String(), err
}
