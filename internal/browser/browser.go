// Package browser opens web pages in the user's browser.
package browser

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"pollux/internal/process"
)

// Browser opens pages with the system's own program.
type Browser struct {
	// Launcher starts the program, with the variables in Environ ("NAME=value").
	Launcher process.Launcher
	Environ  []string
	// Outside are directories whose programs are not used.
	Outside []string
	// GOOS is the operating system; "" is this one.
	GOOS string
}

// ErrNone is the error if no browser can be opened: NO_BROWSER is set, or there is neither a graphical session
// nor the variable BROWSER.
var ErrNone = errors.New("there is no browser")

// startTime is how long the program has to report a failure. It may be the browser itself, which runs on.
const startTime = 3 * time.Second

// Open opens the page at an http or https URL. The browser outlives Pollux.
func (b Browser) Open(ctx context.Context, page string) error {
	u, err := url.Parse(page)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || strings.ContainsFunc(page, isUnsafe) {
		return errors.New("it is not the address of a web page")
	}
	c, err := b.command(page)
	if err != nil {
		return err
	}
	p, err := b.Launcher.Start(context.WithoutCancel(ctx), c)
	if err != nil {
		return err
	}
	defer p.Release()
	timer := time.NewTimer(startTime)
	defer timer.Stop()
	select {
	case <-p.Exited():
		if status := p.Status(); status != (process.Status{}) {
			return fmt.Errorf("%s: %s", c, status)
		}
	case <-timer.C:
	case <-ctx.Done():
	}
	return nil
}

// isUnsafe reports whether a character is not part of an encoded URL.
func isUnsafe(r rune) bool {
	return r <= ' ' || r >= 0x7f || r == '"' || r == '\'' || r == '`' || r == '\\'
}

func (b Browser) command(page string) (*process.Command, error) {
	env := func(name string) string { return process.Getenv(b.Environ, name) }
	if env("NO_BROWSER") != "" {
		return nil, ErrNone
	}
	c := &process.Command{
		For: process.Purpose{Kind: process.KindBrowser, Origin: process.OriginUser},
		Env: b.Environ, Detach: true, Args: []string{page},
	}
	finder := process.Finder{Path: env("PATH"), Outside: b.Outside}
	switch goos := cmp.Or(b.GOOS, runtime.GOOS); {
	case goos == "darwin":
		c.Path = "/usr/bin/open"
		return c, nil
	case goos == "windows":
		c.Path = filepath.Join(env("SYSTEMROOT"), "System32", "rundll32.exe")
		c.Args = []string{"url.dll,FileProtocolHandler", page}
		return c, nil
	case finder.Find(env("BROWSER")) == "" && env("DISPLAY") == "" && env("WAYLAND_DISPLAY") == "" && env("WSL_DISTRO_NAME") == "":
		return nil, ErrNone
	}
	for _, name := range []string{env("BROWSER"), "xdg-open", "wslview"} {
		if c.Path = finder.Find(name); c.Path != "" {
			c.Name = filepath.Base(name)
			return c, nil
		}
	}
	return nil, errors.New("xdg-open is not installed")
}
