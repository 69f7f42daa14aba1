package keychain

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// inFile returns a store that has nothing but a file in a directory of its own.
func inFile(t *testing.T) (*Store, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), ".gemini", "gemini-credentials.json")
	return Open(Options{File: path, FileOnly: true}), path
}

func TestFile(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s, path := inFile(t)
	if _, err := s.Get(ctx, "s", "a"); !errors.Is(err, ErrNotFound) {
		t.Errorf("get of nothing: %v", err)
	}
	if err := s.Remove(ctx, "s", "a"); !errors.Is(err, ErrNotFound) {
		t.Errorf("remove of nothing: %v", err)
	}
	if list, err := s.List(ctx, "s"); len(list) != 0 || err != nil {
		t.Errorf("list of nothing: %v, %v", list, err)
	}
	if _, err := os.Stat(filepath.Dir(path)); err == nil {
		t.Error("looking has left something behind")
	}
	for account, secret := range map[string]string{"b": "2", "a": "1\"\n\u00e4\x00", "": "empty"} {
		if got, err := s.Set(ctx, "s", account, secret); err != nil || got.Where != path || got.FallbackReason != nil {
			t.Fatal(got, err)
		}
	}
	if _, err := s.Set(ctx, "t", "c", "3"); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Get(ctx, "s", "a"); err != nil || !slices.Equal(got, []Secret{{"1\"\n\u00e4\x00", path}}) {
		t.Errorf("%q, %v", got, err)
	}
	if list, err := s.List(ctx, "s"); err != nil || fmt.Sprint(list) != fmt.Sprint([]Entry{{"", path}, {"a", path}, {"b", path}}) {
		t.Errorf("list is %v, %v", list, err)
	}
	data, err := os.ReadFile(path)
	if err != nil || strings.Contains(string(data), "empty") || strings.Count(string(data), ":") != 2 {
		t.Errorf("%q, %v", data, err)
	}
	for path, want := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
	for _, name := range [][2]string{{"s", "a"}, {"s", "b"}, {"s", ""}, {"t", "c"}} {
		if err := s.Remove(ctx, name[0], name[1]); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("a file without secrets stays")
	}
	if entries, err := os.ReadDir(filepath.Dir(path)); err != nil || len(entries) != 0 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}

// Unreadable files cause an error, and are never overwritten.
func TestFileHostile(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	good, path := inFile(t)
	if _, err := good.Set(ctx, "s", "a", "1"); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	sealed := func(text string) []byte {
		f := newFile("")
		gcm, err := f.cipher(16)
		if err != nil {
			t.Fatal(err)
		}
		iv := make([]byte, 16)
		all := gcm.Seal(nil, iv, []byte(text), nil)
		return fmt.Appendf(nil, "%x:%x:%x", iv, all[len(text):], all[:len(text)])
	}
	flipped := []byte(string(data))
	flipped[len(flipped)-1] ^= 1
	for name, content := range map[string][]byte{
		"empty": nil, "words": []byte("hello"), "settings": []byte(`{"a": "b:c"}`), "two parts": []byte("00:11"), "no hex": []byte("zz:zz:zz"),
		"short iv": []byte("00:00:00"), "flipped": flipped, "cut": data[:len(data)-2], "NUL": append([]byte("\x00"), data...),
		"large": []byte(strings.Repeat("0", maxFile+1)), "not JSON": sealed("x"), "a list": sealed("[]"), "null": sealed("null"),
		"numbers": sealed(`{"s": {"a": 1}}`),
	} {
		s, path := inFile(t)
		if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := s.Get(ctx, "s", "a")
		_, err2 := s.Set(ctx, "s", "a", "2")
		_, err3 := s.List(ctx, "s")
		for _, err := range []error{err, err2, err3, s.Remove(ctx, "s", "a")} {
			if err == nil || errors.Is(err, ErrNotFound) || !strings.Contains(err.Error(), path) || strings.Contains(err.Error(), "hello") {
				t.Errorf("%s: %v", name, err)
			}
		}
		if after, err := os.ReadFile(path); err != nil || string(after) != string(content) {
			t.Errorf("%s was written over", name)
		}
	}
	s, path := inFile(t)
	if err := os.MkdirAll(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Get(ctx, "s", "a"); err == nil || !strings.Contains(err.Error(), "it is a directory") {
		t.Error(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := exec.Command("mkfifo", path).Run(); err != nil {
		t.Skipf("no named pipes here: %v", err)
	}
	if _, err := s.Get(ctx, "s", "a"); err == nil || !strings.Contains(err.Error(), "it is not a regular file") {
		t.Error(err)
	}
}

// A file that others could read is theirs no more once it is written.
func TestFileMode(t *testing.T) {
	t.Parallel()
	s, path := inFile(t)
	if _, err := s.Set(t.Context(), "s", "a", "1"); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Set(t.Context(), "s", "b", "1"); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Error(info.Mode(), err)
	}
}

// The secrets are where a link leads to, and removed from there.
func TestFileLink(t *testing.T) {
	t.Parallel()
	s, path := inFile(t)
	there := filepath.Join(t.TempDir(), "there")
	if err := errors.Join(os.Mkdir(filepath.Dir(path), 0o700), os.Symlink(there, path)); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := s.Set(t.Context(), "s", "a", "1"); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(there); err != nil {
			t.Error(err)
		}
		if err := s.Remove(t.Context(), "s", "a"); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(there); err == nil {
			t.Error("the target of the link is still there")
		}
	}
}

// A lock that another program has left does not block.
func TestFileLocked(t *testing.T) {
	t.Parallel()
	s, path := inFile(t)
	if err := os.MkdirAll(path+".lock", 0o700); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	cancel(enough)
	if _, err := s.Set(ctx, "s", "a", "1"); err != enough {
		t.Error(err)
	}
}

func TestFileTogether(t *testing.T) {
	t.Parallel()
	s, path := inFile(t)
	other := Open(Options{File: path, FileOnly: true})
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			store := []*Store{s, other}[i%2]
			if _, err := store.Set(t.Context(), "s", fmt.Sprint(i), "x"); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if list, err := s.List(t.Context(), "s"); len(list) != 8 || err != nil {
		t.Errorf("%d left, %v", len(list), err)
	}
}

// Pollux reads files that Gemini CLI writes with Node's functions, and these read files of
// Pollux.
func TestNode(t *testing.T) {
	t.Parallel()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("NOT TESTED: node is not installed")
	}
	const program = `
const [crypto, os, fs] = [require('crypto'), require('os'), require('fs')];
const key = crypto.scryptSync('gemini-cli-oauth', os.hostname() + '-' + os.userInfo().username + '-gemini-cli', 32);
const [mode, path, size] = process.argv.slice(1);
if (mode === 'write') {
  const iv = crypto.randomBytes(Number(size)), c = crypto.createCipheriv('aes-256-gcm', key, iv);
  const body = c.update(JSON.stringify({s: {a: 'of Node \u00e4'}}), 'utf8', 'hex') + c.final('hex');
  fs.writeFileSync(path, [iv.toString('hex'), c.getAuthTag().toString('hex'), body].join(':'), {mode: 0o600});
} else {
  const [iv, tag, body] = fs.readFileSync(path, 'utf8').split(':').map((x) => Buffer.from(x, 'hex'));
  const d = crypto.createDecipheriv('aes-256-gcm', key, iv);
  d.setAuthTag(tag);
  process.stdout.write(JSON.stringify(JSON.parse(d.update(body, null, 'utf8') + d.final('utf8'))));
}`
	for _, size := range []string{"12", "16"} {
		s, path := inFile(t)
		if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command(node, "-e", program, "write", path, size).CombinedOutput(); err != nil {
			t.Fatalf("%s, %v", out, err)
		}
		if got, err := s.Get(t.Context(), "s", "a"); err != nil || got[0].Value != "of Node \u00e4" {
			t.Errorf("%q, %v", got, err)
		}
		if _, err := s.Set(t.Context(), "s", "b", "of Pollux"); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command(node, "-e", program, "read", path).Output()
		if want := `{"s":{"a":"of Node ä","b":"of Pollux"}}`; err != nil || string(out) != want {
			t.Errorf("Node reads %s, %v", out, err)
		}
	}
}

// FuzzFile holds that no content of the file is more than an error, and that only the file
// encrypted here decrypts to the secret.
func FuzzFile(f *testing.F) {
	file := newFile("")
	for _, seed := range []string{"", "::", "00:00:00", strings.Repeat("0", 24) + ":" + strings.Repeat("0", 32) + ":"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if all, err := file.open(data); err == nil {
			t.Errorf("%q is %v", data, all)
		}
	})
}
