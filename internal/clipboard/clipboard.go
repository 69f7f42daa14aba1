// Package clipboard reads and sets the clipboard of the user's desktop with the programs of the system: wl-clipboard, xclip
// and xsel on Linux, pbcopy, pbpaste and osascript on macOS, PowerShell on Windows and in WSL.
//
// A person at another machine needs the clipboard of theirs: with SSH there is no program, and the terminal itself has to do
// it.
package clipboard

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"pollux/internal/charset"
	"pollux/internal/process"
	"pollux/internal/terminal"
)

// Programs access the clipboard.
type Programs struct {
	Launcher process.Launcher
	GOOS     string                   // the operating system, as in [runtime.GOOS]
	Getenv   func(name string) string // returns variables of the user's environment
	Environ  []string                 // that environment, for the programs
	Outside  []string                 // directories whose programs do not count
	Wait     time.Duration            // how long a read may take; 0 is a few seconds
}

// Content is the content of the clipboard: an image, or else a text.
type Content struct {
	Image []byte // as a file of the format Ext
	Ext   string // png, jpg, webp or gif
	Text  string
}

// Errors of [Programs].
var (
	ErrNone     = errors.New("no program for the clipboard")
	ErrTooLarge = errors.New("the clipboard has more than 20 MB")
	ErrEmpty    = errors.New("the clipboard is empty")
)

// Limits of a program.
const (
	maxContent = 20 << 20 // bytes
	wait       = 2 * time.Second
	shellWait  = 5 * time.Second // for PowerShell, which takes long to start
)

// Missing returns advice for a machine without such a program.
func (p Programs) Missing() string {
	switch {
	case p.isRemote():
		return "The clipboard of your own machine is out of reach here: paste with your terminal's key, or set experimental.useOSC52Paste"
	case p.GOOS != "linux":
		return "The programs of the system that access the clipboard are missing"
	case p.isWayland():
		return "Install wl-clipboard to access the clipboard"
	case p.hasX():
		return "Install xclip to access the clipboard"
	}
	return "The clipboard needs a graphical session, and wl-clipboard or xclip"
}

// isRemote reports whether the person's desktop is out of reach. With X forwarding it is not.
func (p Programs) isRemote() bool {
	return terminal.IsSSH(p.Getenv) && !strings.HasPrefix(p.Getenv("DISPLAY"), "localhost:")
}

func (p Programs) isWSL() bool { return terminal.IsWSL(p.Getenv) }

func (p Programs) isWayland() bool {
	return !terminal.IsSSH(p.Getenv) && (p.Getenv("WAYLAND_DISPLAY") != "" || p.Getenv("XDG_SESSION_TYPE") == "wayland")
}

func (p Programs) hasX() bool {
	return p.Getenv("DISPLAY") != "" || p.Getenv("XDG_SESSION_TYPE") == "x11"
}

func (p Programs) find(name string) string {
	return process.Finder{Path: p.Getenv("PATH"), Outside: p.Outside}.Find(name)
}

// command returns the command of a program, which is a path and its arguments.
func (p Programs) command(path string, args []string) *process.Command {
	return &process.Command{
		For:  process.Purpose{Kind: process.KindClipboard, Origin: process.OriginPollux},
		Path: path, Args: args, Env: p.Environ,
	}
}

// output returns the output of a program. It fails if the program does.
func (p Programs) output(ctx context.Context, path string, limit int, args ...string) ([]byte, error) {
	out := process.Head{Max: limit}
	c := p.command(path, args)
	c.Stdout, c.Stderr = &out, &process.Head{Max: 4 << 10}
	status, err := p.Launcher.Run(ctx, c)
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("%s takes too long", c)
	case err != nil:
		return nil, fmt.Errorf("cannot run %s: %w", c, err)
	case status != process.Status{}:
		return nil, fmt.Errorf("%s: %s", c, status)
	case out.IsCut():
		return nil, ErrTooLarge
	}
	return out.Bytes(), nil
}

// NewContent returns the content of data that a clipboard has as an image or as a text. An image of no known format is
// [ErrEmpty].
func NewContent(data []byte, isImage bool) (Content, error) {
	if len(data) == 0 {
		return Content{}, ErrEmpty
	}
	if !isImage {
		return Content{Text: strings.ReplaceAll(charset.Text(data), "\r\n", "\n")}, nil
	}
	if ext := extension(data); ext != "" {
		return Content{Image: data, Ext: ext}, nil
	}
	return Content{}, ErrEmpty
}

// extension returns the extension of the format of an image, "" for one that models cannot see.
func extension(data []byte) string {
	switch http.DetectContentType(data) {
	case "image/png":
		return "png"
	case "image/jpeg":
		return "jpg"
	case "image/webp":
		return "webp"
	case "image/gif":
		return "gif"
	}
	return ""
}
