package workspace_test

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pollux/internal/workspace"
)

// TestBuffers reads, writes and saves files below an editor whose buffers have other texts.
func TestBuffers(t *testing.T) {
	t.Parallel()
	const mark = "\uFEFF"
	errBusy := errors.New("busy")
	for name, tt := range map[string]struct {
		file    string // relative to the workspace; "" is a.txt
		root    string // of the workspace; "" is work
		disk    string // "" is no file
		buffer  string // "" is none
		fails   error  // of reads
		read    string // wanted
		write   string // "" writes nothing
		got     string // that the editor gets for it, "" for nothing
		save    string // that the editor gets when the text is saved
		refuses bool   // the workspace refuses reads
		unknown bool   // reads fail
	}{
		"the same":               {disk: "one\n", buffer: "one\n", read: "one\n", write: "two\n", got: "two\n"},
		"unsaved":                {disk: "one\n", buffer: "1\n", read: "1\n", write: "two\n", got: "two\n", save: "1\n"},
		"an empty buffer":        {disk: "one\n", buffer: "EMPTY", read: "", save: "EMPTY"},
		"never saved":            {buffer: "1\n", read: "1\n", write: "two\n", got: "two\n", save: "1\n"},
		"missing":                {fails: fs.ErrNotExist, read: "MISSING", write: "two\n", got: "two\n"},
		"missing and empty":      {buffer: "EMPTY", read: "MISSING"},
		"line ends":              {disk: "one\r\ntwo\r\n", buffer: "one\ntwo\n", read: "one\r\ntwo\r\n", write: "1\r\n", got: "1\r\n"},
		"unsaved line ends":      {disk: "one\r\ntwo\r\n", buffer: "one\n2\n", read: "one\r\n2\r\n", save: "one\n2\n"},
		"mixed line ends":        {disk: "one\r\ntwo\n", buffer: "one\n2\n", read: "one\n2\n", save: "one\n2\n"},
		"mark":                   {disk: mark + "one\n", buffer: "one\n", read: mark + "one\n", write: mark + "two\n", got: "two\n"},
		"unsaved mark":           {disk: mark + "one\n", buffer: "1\n", read: mark + "1\n", save: "1\n"},
		"a new mark":             {disk: "one\n", buffer: "one\n", read: "one\n", write: mark + "two\n", got: mark + "two\n"},
		"binary":                 {disk: "one\x00", buffer: "1\n", read: "one\x00", write: "two\n"},
		"another encoding":       {disk: "caf\xe9\n", buffer: "1\n", read: "caf\xe9\n", write: "th\xe9\n"},
		"binary data":            {disk: "one\n", buffer: "one\n", read: "one\n", write: "two\x00"},
		"large":                  {disk: strings.Repeat("line\n", 1<<20), buffer: "1\n", read: strings.Repeat("line\n", 1<<20), write: "two\n"},
		"missing for the editor": {disk: "one\n", fails: fs.ErrNotExist, read: "one\n", write: "two\n"},
		"not served":             {disk: "one\n", fails: errBusy, read: "one\n", write: "two\n"},
		"not told":               {disk: "one\n", fails: workspace.ErrUnknown, unknown: true, write: "two\n", got: "two\n"},
		"Pollux's own":           {file: "../home/.gemini/tmp/p/plan.md", disk: "one\n", buffer: "1\n", read: "one\n", write: "two\n"},
		"in the home directory":  {file: "../home/.gemini/GEMINI.md", disk: "one\n", buffer: "1\n", read: "one\n", write: "two\n"},
		"only readable":          {file: "../lib/a.txt", disk: "one\n", buffer: "1\n", read: "one\n"},
		"outside":                {file: "../other/a.txt", disk: "one\n", buffer: "1\n", refuses: true},
		"guarded":                {file: ".git/config", disk: "one\n", buffer: "1\n", refuses: true, write: "one\n"},
		"below the project":      {file: ".gemini/GEMINI.md", root: "home", disk: "one\n", buffer: "1\n", read: "one\n", write: "two\n"},
		"through a link":         {file: "link", disk: "one\n", buffer: "1\n", read: "1\n", write: "two\n", got: "two\n", save: "1\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			top, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			root, lib := filepath.Join(top, cmp.Or(tt.root, "work")), filepath.Join(top, "lib")
			if tt.file == "" {
				tt.file = "a.txt"
			}
			path := filepath.Join(root, tt.file)
			real := path
			for _, dir := range []string{root, lib, filepath.Dir(path)} {
				if err := os.MkdirAll(dir, 0o700); err != nil {
					t.Fatal(err)
				}
			}
			if tt.file == "link" {
				if err := os.Symlink("a.txt", path); err != nil {
					t.Skip("NOT CHECKED: ", err)
				}
				real = filepath.Join(root, "a.txt")
			}
			if tt.disk != "" {
				if err := os.WriteFile(real, []byte(tt.disk), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			home := filepath.Join(top, "home")
			got := map[string]string{}
			w, _ := workspace.New(workspace.Options{
				Root: root, Home: home, ProjectTemp: filepath.Join(home, ".gemini", "tmp", "p"), GlobalMemory: filepath.Join(home, ".gemini", "GEMINI.md"),
				Buffers: &workspace.Buffers{
					Read: func(path string) (string, error) {
						if path != real {
							t.Errorf("the editor is asked for %s", path)
						}
						return strings.TrimPrefix(tt.buffer, "EMPTY"), tt.fails
					},
					Write: func(path, text string) error {
						got[path] = text + strings.TrimPrefix("EMPTY", strings.Repeat("EMPTY", min(1, len(text))))
						return nil
					},
				},
			})
			if _, _, err := w.AddReadable(lib); err != nil {
				t.Fatal(err)
			}
			if got, err := readDisk(w, path); (err != nil) != (tt.refuses || tt.unknown || tt.read == "MISSING") || err == nil && got != tt.read {
				t.Errorf("read: %.40q, %v; want %.40q", got, err, tt.read)
			} else if tt.read == "MISSING" && !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("read: %v", err)
			}
			if err := w.Disk().Save(path); (err != nil) != tt.unknown {
				t.Errorf("save: %v", err)
			}
			check := func(what, want string) {
				t.Helper()
				if want == "" && len(got) > 0 || want != "" && !maps.Equal(got, map[string]string{real: want}) {
					t.Errorf("%s: the editor gets %q, want %q", what, got, want)
				}
				clear(got)
			}
			check("save", tt.save)
			if tt.write == "" {
				return
			}
			if err := w.Disk().Write(path, []byte(tt.write)); (err != nil) != tt.refuses {
				t.Errorf("write: %v", err)
			}
			want := tt.disk
			if tt.got == "" {
				want = tt.write
			}
			if saved, _ := os.ReadFile(real); string(saved) != want {
				t.Errorf("write: the disk has %.40q, want %.40q", saved, want)
			}
			check("write", tt.got)
		})
	}
}

// readDisk returns the text that file tools read at a path.
func readDisk(w *workspace.Workspace, path string) (string, error) {
	f, err := w.Disk().Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	if info, failure := f.Stat(); err == nil && (failure != nil || info.Size() != int64(len(data)) || info.IsDir()) {
		return "", errors.New("the file describes itself wrongly")
	}
	return string(data), err
}

// TestBuffersAsked counts how often the editor is asked for a text: once for looks in a row, and again after a while, after a
// change of the file on the disk, after a write, for another file, and after no answer.
func TestBuffersAsked(t *testing.T) {
	t.Parallel()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	one, two := filepath.Join(top, "one"), filepath.Join(top, "two")
	for _, path := range []string{one, two} {
		if err := os.WriteFile(path, []byte("saved\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		asked, failure := 0, error(nil)
		typed := "typed\n"
		w, err := workspace.New(workspace.Options{Root: top, Buffers: &workspace.Buffers{
			Read: func(string) (string, error) { asked++; return typed, failure },
			Write: func(path, text string) error { // a coarse clock does not show the change
				typed = text
				return errors.Join(os.WriteFile(path, []byte(text), 0o600), os.Chtimes(path, time.Time{}, time.Unix(1, 0)))
			},
		}})
		if err != nil {
			t.Fatal(err)
		}
		look := func(path, want string) {
			t.Helper()
			f, err := w.Disk().Open(path)
			if err != nil {
				if want != "" {
					t.Error(err)
				}
				return
			}
			defer f.Close()
			if data, err := io.ReadAll(f); string(data) != want || err != nil {
				t.Errorf("%s has %q, %v, want %q", path, data, err, want)
			}
		}
		counts := func(want int, when string) {
			t.Helper()
			if asked != want {
				t.Errorf("%s, the editor is asked %d times, want %d", when, asked, want)
			}
			asked = 0
		}
		look(one, typed)
		look(one, typed)
		counts(1, "in a row")
		time.Sleep(60 * time.Millisecond)
		typed = "typed more\n"
		look(one, "typed more\n")
		counts(1, "after a while")
		if err := os.Chtimes(one, time.Time{}, time.Unix(1, 0)); err != nil {
			t.Fatal(err)
		}
		look(one, "typed more\n")
		counts(1, "after a change of the file")
		look(two, "typed more\n")
		look(one, "typed more\n")
		counts(2, "for another file")
		if err := w.Disk().Save(one); err != nil {
			t.Fatal(err)
		}
		counts(0, "before it saves")
		typed = "formatted\n"
		look(one, "formatted\n")
		counts(1, "after it has saved")
		if err := w.Disk().Write(one, []byte("written\n")); err != nil {
			t.Fatal(err)
		}
		look(one, "written\n")
		counts(1, "after it has written")
		time.Sleep(60 * time.Millisecond)
		failure = workspace.ErrUnknown
		look(one, "")
		look(one, "")
		counts(2, "without an answer")
		failure = fs.ErrNotExist
		look(one, "written\n")
		look(one, "written\n")
		counts(1, "without a text")
	})
}
