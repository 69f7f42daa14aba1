package external

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// maxText is how large a text may come back from an editor, in bytes.
const maxText = 32 << 20

// Text lets a person write a text, a prompt for instance, beginning with one that
// is there already. Its error is [ErrUnsaved] if they leave without saving.
func (e *Editor) Text(ctx context.Context, text string) (string, error) {
	return e.inTemp("pollux-prompt-*", func(dir string) (string, error) {
		path := filepath.Join(dir, "prompt.md")
		if err := write(path, text); err != nil {
			return "", err
		}
		if err := e.Open(ctx, path); err != nil {
			return "", err
		}
		return read(path)
	})
}

// Change lets a person change what is to become of a file called name: before is
// what it holds, after what is proposed. It returns their version, [ErrUnsaved] if
// there is none.
func (e *Editor) Change(ctx context.Context, name, before, after string) (string, error) {
	return e.inTemp("gemini-cli-tool-modify-*", func(dir string) (string, error) {
		base, ext := harmless(name)
		stamp := "-" + strconv.FormatInt(time.Now().UnixMilli(), 10) + ext
		was := filepath.Join(dir, "gemini-cli-modify-"+base+"-old"+stamp)
		path := filepath.Join(dir, "gemini-cli-modify-"+base+"-new"+stamp)
		if err := errors.Join(write(was, before), write(path, after)); err != nil {
			return "", err
		}
		if err := e.Diff(ctx, was, path); err != nil {
			return "", err
		}
		return read(path)
	})
}

// inTemp does something with a directory that only the person can look into.
func (e *Editor) inTemp(pattern string, f func(dir string) (string, error)) (string, error) {
	dir, err := os.MkdirTemp(e.o.Temp, pattern)
	if err != nil {
		return "", fmt.Errorf("make a directory for the editor: %w", err)
	}
	defer os.RemoveAll(dir)
	return f(dir)
}

// write writes a file, some time ago, so that it is seen when it is written again.
func write(path, text string) error {
	ago := time.Now().Add(-time.Minute)
	if err := cmp.Or(os.WriteFile(path, []byte(text), 0o600), os.Chtimes(path, ago, ago)); err != nil {
		return fmt.Errorf("write the file for the editor: %w", err)
	}
	return nil
}

// read reads what an editor has left.
func read(path string) (string, error) {
	fi, err := os.Stat(path)
	if err != nil {
		return "", fmt.Errorf("read what the editor saved: %w", err)
	}
	if !fi.Mode().IsRegular() {
		return "", errors.New("read what the editor saved: it is no file any more")
	}
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("read what the editor saved: %w", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxText+1))
	switch {
	case err != nil:
		return "", fmt.Errorf("read what the editor saved: %w", err)
	case len(text) > maxText:
		return "", fmt.Errorf("read what the editor saved: it is larger than %d MiB", maxText>>20)
	case !utf8.Valid(text):
		return "", errors.New("read what the editor saved: it is not UTF-8 text")
	}
	return string(text), nil
}

// harmless makes part of a file's name of a file's name: letters, digits and a
// few signs, the extension apart. Editors know by that what they show.
func harmless(name string) (base, ext string) {
	keep := func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', strings.ContainsRune("._-+", r):
			return r
		}
		return '_'
	}
	name = strings.Map(keep, filepath.Base(name))
	if ext = filepath.Ext(name); len(ext) > 16 || ext == name {
		ext = ""
	}
	base = strings.TrimSuffix(name, ext)
	return base[:min(len(base), 64)], ext
}
