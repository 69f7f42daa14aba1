// Command wine runs the tests of packages as Windows programs under Wine:
//
//	go run ./acceptance/wine ./internal/durable/... ./internal/process
//
// It needs Wine for 64-bit programs (Debian: apt install wine64), and makes a Windows of its own in the user's directory for caches.
// Wine is not Windows: it has no symbolic links, no PowerShell and a simpler console. Before version 9 it also lacks two
// parts that Go programs need, which wine adds: bcryptprimitives.dll, and the deletion of files as on Unix.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"pollux/internal/config"
	"pollux/internal/process"
)

func main() {
	status, err := run(context.Background(), os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(max(status.Code, 0))
}

// run tests the packages. As the program that go test runs, it runs a Windows program with its arguments.
func run(ctx context.Context, args []string) (process.Status, error) {
	if len(args) == 0 {
		return process.Status{}, errors.New("name the packages to test, such as ./internal/process")
	}
	env := config.Environ()
	wine, err := findWine(env.Get("PATH"))
	if err != nil {
		return process.Status{}, err
	}
	if strings.HasSuffix(args[0], ".exe") {
		return start(ctx, wine, args, env.List())
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return process.Status{}, err
	}
	prefix := filepath.Join(cache, "pollux-wine")
	own := append(env.List(), "WINEPREFIX="+prefix, "WINEDEBUG=-all")
	self, err := os.Executable()
	if err != nil {
		return process.Status{}, err
	}
	goTool, err := process.LookPath(env.Get("PATH"), "go")
	if err != nil {
		return process.Status{}, err
	}
	if err := prepare(ctx, wine, prefix, own); err != nil {
		return process.Status{}, err
	}
	overlay, err := writeOverlay(ctx, goTool, prefix, env.List())
	if err != nil {
		return process.Status{}, err
	}
	test := append([]string{"test", "-overlay", overlay, "-exec", self}, args...)
	return start(ctx, goTool, test, append(own, "GOOS=windows", "GOARCH=amd64", "CGO_ENABLED=0"))
}

// findWine returns the path of Wine.
func findWine(path string) (string, error) {
	for _, name := range []string{"wine64", "/usr/lib/wine/wine64", "wine"} { // the second is Debian's
		if found, err := process.LookPath(path, name); err == nil {
			return found, nil
		}
	}
	return "", errors.New("NOT TESTED: Wine is not installed (Debian: apt install wine64)")
}

func start(ctx context.Context, path string, args, env []string) (process.Status, error) {
	var launcher process.Launcher
	return launcher.Run(ctx, &process.Command{
		For:  process.Purpose{Kind: process.KindProbe, Origin: process.OriginUser},
		Path: path, Args: args, Env: env, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, TTY: true,
	})
}

// prepare makes a Windows in prefix, as new as Go demands, with the library that old versions of Wine lack.
func prepare(ctx context.Context, wine, prefix string, env []string) error {
	if err := os.MkdirAll(prefix, 0o700); err != nil {
		return err
	}
	version := []string{"reg", "add", `HKCU\Software\Wine`, "/v", "Version", "/d", "win10", "/f"}
	switch status, err := start(ctx, wine, version, env); {
	case err != nil:
		return err
	case status.Code != 0:
		return fmt.Errorf("make a Windows in %s: %s", prefix, status)
	}
	library := filepath.Join(prefix, "drive_c", "windows", "system32", "bcryptprimitives.dll")
	if _, err := os.Stat(library); err == nil {
		return nil
	}
	return os.WriteFile(library, forwarder("bcryptprimitives.dll", "ProcessPrng", "ADVAPI32.SystemFunction036"), 0o600)
}

// writeOverlay returns a file for the flag -overlay of go test. It turns on the switch with which Go's own tests try systems that
// cannot delete files as on Unix.
func writeOverlay(ctx context.Context, goTool, prefix string, env []string) (path string, err error) {
	var launcher process.Launcher
	root, err := launcher.Ask(ctx, &process.Command{
		For:  process.Purpose{Kind: process.KindProbe, Origin: process.OriginUser},
		Path: goTool, Args: []string{"env", "GOROOT"}, Env: env,
	})
	if err != nil {
		return "", err
	}
	original := filepath.Join(root, "src", "internal", "syscall", "windows", "at_windows.go")
	source, err := os.ReadFile(original)
	if err != nil {
		return "", err
	}
	changed := strings.Replace(string(source), "var TestDeleteatFallback bool", "var TestDeleteatFallback = true", 1)
	copied := filepath.Join(prefix, filepath.Base(original))
	list, err := json.Marshal(map[string]any{"Replace": map[string]string{original: copied}})
	if err != nil {
		return "", err
	}
	path = filepath.Join(prefix, "overlay.json")
	return path, errors.Join(os.WriteFile(copied, []byte(changed), 0o600), os.WriteFile(path, list, 0o600))
}
