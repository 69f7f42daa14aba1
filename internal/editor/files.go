package editor

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

	"pollux/internal/durable"
)

// maxText is the largest text that an editor may save, in bytes.
const maxText = 32 << 20

// Compose opens text in the editor and returns the edited text. It returns
// [ErrUnsaved] if the user did not save, and an error if the text is larger than
// 32 MiB or not UTF-8. If the editor failed, or ctx ended it, Compose returns the text that was saved before with the error, "" for none.
func (e *Editor) Compose(ctx context.Context, text string) (string, error) {
	return e.withTempDir("pollux-prompt-*", func(dir string) (string, error) {
		path := filepath.Join(dir, "prompt.md")
		if err := writeBackdated(path, text); err != nil {
			return "", err
		}
		before, _ := os.Stat(path)
		err := e.Open(ctx, path)
		if err != nil && !isSaved(path, before) {
			return "", err
		}
		edited, failure := readResult(path)
		return edited, cmp.Or(err, failure)
	})
}

// Change opens a proposed change of a file in the editor and returns the user's version
// of it. before is the current content of the file, after the proposed content, and
// name the file's name. Change returns [ErrUnsaved] if the user did not save, and an
// error if the text is larger than 32 MiB or not UTF-8.
func (e *Editor) Change(ctx context.Context, name, before, after string) (string, error) {
	return e.withTempDir("gemini-cli-tool-modify-*", func(dir string) (string, error) {
		base, ext := safeName(name)
		stamp := "-" + strconv.FormatInt(time.Now().UnixMilli(), 10) + ext
		was := filepath.Join(dir, "gemini-cli-modify-"+base+"-old"+stamp)
		path := filepath.Join(dir, "gemini-cli-modify-"+base+"-new"+stamp)
		if err := errors.Join(writeBackdated(was, before), writeBackdated(path, after)); err != nil {
			return "", err
		}
		if err := e.Diff(ctx, was, path); err != nil {
			return "", err
		}
		return readResult(path)
	})
}

// withTempDir calls f with a temporary directory that only the user can read, and
// removes the directory afterwards.
func (e *Editor) withTempDir(pattern string, f func(dir string) (string, error)) (string, error) {
	var err error
	if e.options.Temp != "" {
		err = durable.MkdirAll(e.options.Temp, 0o700)
	}
	dir := ""
	if err == nil {
		dir, err = os.MkdirTemp(e.options.Temp, pattern)
	}
	if err != nil {
		return "", fmt.Errorf("create a directory for the editor: %w", err)
	}
	defer os.RemoveAll(dir)
	return f(dir)
}

// writeBackdated writes a file with a modification time one minute ago, so that a later
// write changes the time even where its resolution is coarse.
func writeBackdated(path, text string) error {
	ago := time.Now().Add(-time.Minute)
	if err := cmp.Or(os.WriteFile(path, []byte(text), 0o600), os.Chtimes(path, ago, ago)); err != nil {
		return fmt.Errorf("write the file for the editor: %w", err)
	}
	return nil
}

// readResult reads the file that an editor saved.
func readResult(path string) (string, error) {
	fi, err := os.Stat(path)
	if err != nil {
		return "", fmt.Errorf("read the edited file: %w", err)
	}
	if !fi.Mode().IsRegular() {
		return "", errors.New("read the edited file: it is not a regular file")
	}
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("read the edited file: %w", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxText+1))
	switch {
	case err != nil:
		return "", fmt.Errorf("read the edited file: %w", err)
	case len(text) > maxText:
		return "", fmt.Errorf("read the edited file: it is larger than %d MiB", maxText>>20)
	case !utf8.Valid(text):
		return "", errors.New("read the edited file: it is not UTF-8 text")
	}
	return string(text), nil
}

// safeName splits the name of a file into base and extension, and replaces all
// characters but letters, digits and "._-+" by "_". Editors choose the syntax by the
// extension.
func safeName(name string) (base, ext string) {
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
