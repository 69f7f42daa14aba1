package trust

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"pollux/internal/exit"
)

func TestDecide(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for _, d := range []string{"a/b/c", "other", "parent/child", "parent/sibling"} {
		if err := os.MkdirAll(filepath.Join(root, d), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(root, "a"), filepath.Join(root, "link")); err != nil {
		t.Skip("no symbolic links here")
	}
	file := filepath.Join(root, "trusted.json")
	content := strings.ReplaceAll(`{
		// mine
		"ROOT/a": "TRUST_FOLDER",
		"ROOT/a/b": "DO_NOT_TRUST", /* not this */
		"ROOT/link/b/c": "TRUST_FOLDER",
		"ROOT/parent/child": "TRUST_PARENT",
		"relative": "TRUST_FOLDER",
	}`, "ROOT", filepath.ToSlash(root))
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]State{
		"a": Trusted, "a/new/deep": Trusted, "a/b": Untrusted, "a/b/x": Untrusted, "a/b/c": Trusted, "a/b/c/d": Trusted,
		"link": Trusted, "link/b": Untrusted, "ab": Unknown, "other": Unknown, "": Unknown, "relative": Unknown,
		"parent": Trusted, "parent/sibling": Trusted, "parent/child": Trusted, "a/../other": Unknown,
	} {
		got, err := Decide(Options{Dir: filepath.Join(root, dir), File: file, Enabled: true})
		if got != want || err != nil {
			t.Errorf("%q: %v, %v, want %v", dir, got, err, want)
		}
	}
	for _, tt := range []struct {
		name string
		o    Options
		want State
	}{
		{"disabled", Options{}, Trusted},
		{"restricted", Options{Restricted: "true", Workspace: "true"}, Untrusted},
		{"told not to", Options{Workspace: "false"}, Untrusted},
		{"told to", Options{Workspace: "true", Enabled: true}, Trusted},
		{"editor trusts", Options{Enabled: true, Editor: Trusted, Dir: filepath.Join(root, "a/b")}, Trusted},
		{"editor does not", Options{Enabled: true, Editor: Untrusted, Dir: filepath.Join(root, "a")}, Untrusted},
		{"no file", Options{Enabled: true, File: filepath.Join(root, "none"), Dir: root}, Unknown},
	} {
		if tt.o.File == "" {
			tt.o.File = file
		}
		if got, err := Decide(tt.o); got != tt.want || err != nil {
			t.Errorf("%s: %v, %v, want %v", tt.name, got, err, tt.want)
		}
	}
}

// An odd spelling of a path has no priority over the path itself.
func TestSpellings(t *testing.T) {
	t.Parallel()
	root := realPath(t.TempDir(), false)
	work := filepath.Join(root, "a", "work")
	if err := os.MkdirAll(filepath.Join(work, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(work, filepath.Join(root, "a-link-with-a-long-name")); err != nil {
		t.Skip("no symbolic links here")
	}
	for _, odd := range []string{"/a/b/../work", "/a//././work", "/a/work/sub/..", "/a-link-with-a-long-name", "/a/work/"} {
		for range 10 { // the order of a map
			levels := Levels{work: DoNotTrust, root + odd: TrustFolder}
			if got := levels.state(filepath.Join(work, "sub"), false); got != Untrusted {
				t.Errorf("%s as trusted: %v", odd, got)
			}
			levels = Levels{work: TrustFolder, root + odd: DoNotTrust}
			if got := levels.state(work, false); got != Untrusted {
				t.Errorf("%s as not trusted: %v", odd, got)
			}
		}
	}
	levels := Levels{root + "/a/../a/work": TrustParent, work: DoNotTrust}
	if got := levels.state(work, false); got != Untrusted {
		t.Errorf("the parent of an odd path as trusted: %v", got)
	}
	if got := (Levels{root + "/a/b/../work": TrustFolder}).state(work, false); got != Trusted {
		t.Errorf("an odd path alone: %v", got)
	}
}

func TestFoldCase(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("paths of this test are not absolute there")
	}
	levels := Levels{"/Users/Me/Work": TrustFolder}
	if levels.state("/users/me/work/x", true) != Trusted || levels.state("/users/me/work/x", false) != Unknown {
		t.Error("case counts where it should not, or does not where it should")
	}
	// Equal lengths: the one that trusts less, every time.
	levels = Levels{"/a/xx": TrustParent, "/a/yy": DoNotTrust, "/a/zz": TrustParent}
	for range 20 {
		if got := levels.state("/a/yy", false); got != Untrusted {
			t.Fatalf("tie: %v", got)
		}
	}
}

func TestBrokenFile(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]string{
		`{"/a": "TRUST"}`:       `Invalid trust level "TRUST" for path "/a". Possible values are: TRUST_FOLDER, TRUST_PARENT, DO_NOT_TRUST.`,
		`{"/a": 1}`:             `Invalid trust level "1" for path "/a".`,
		`{"/a": "TRUST_FOLDER"`: "not valid JSON",
		`[]`:                    "must be a JSON object",
		"{\"/a\": \"x\x00y\"}":  "not valid JSON",
		`null`:                  "",
		`{"/a": "DO_NOT_TRUST", "/b": "TRUST_FOLDER", "/a": "TRUST_FOLDER",}`: `trusted folders name "/a" twice, with different levels`,
		`{"/a": "DO_NOT_TRUST", "/\u0061": "TRUST_FOLDER"}`:                   "twice",
		`{"/a": "TRUST_FOLDER", "/a": "TRUST_FOLDER"}`:                        "",
		"\ufeff{}":               "",
		"":                       "",
		strings.Repeat("[", 1e6): "not valid JSON",
	} {
		file := filepath.Join(t.TempDir(), "f.json")
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Decide(Options{Dir: "/a", File: file, Enabled: true})
		if want == "" {
			if err != nil {
				t.Errorf("%.40q: %v", content, err)
			}
			continue
		}
		var e *exit.Error
		if !errors.As(err, &e) || e.Code != exit.Config || !strings.Contains(e.Message, want) {
			t.Errorf("%.40q: %v", content, err)
		}
	}
	if _, err := Read(t.TempDir()); exit.CodeOf(err) != exit.Config {
		t.Errorf("a directory: %v", err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if os.Symlink("nowhere", link) != nil {
		t.Skip("this system has no symbolic links")
	}
	if _, err := Read(link); exit.CodeOf(err) != exit.Config || !strings.Contains(err.Error(), `it is a link to "nowhere", which does not exist`) {
		t.Errorf("a link to nothing: %v", err)
	}
}

func TestRefuse(t *testing.T) {
	t.Parallel()
	if err := CheckTrusted(Trusted, Options{Restricted: "true"}); err != nil {
		t.Errorf("trusted: %v", err)
	}
	for _, s := range []State{Unknown, Untrusted} {
		if err := CheckTrusted(s, Options{}); err == nil || err.Code != exit.Untrusted || !strings.Contains(err.Message, "--skip-trust") {
			t.Errorf("%v: %v", s, err)
		}
		err := CheckTrusted(s, Options{Restricted: "true"})
		if err == nil || err.Code != exit.Untrusted || strings.Contains(err.Message, "--skip-trust") || !strings.HasSuffix(err.Message, "To proceed, unset it.") {
			t.Errorf("%v in restricted mode: %v", s, err)
		}
	}
	for want, o := range map[string]Options{"unset GEMINI_RESTRICTED_MODE": {Restricted: "true"}, "unset GEMINI_CLI_TRUST_WORKSPACE": {Workspace: "false"}, "type /permissions trust": {}} {
		if text := Advice(o); !strings.Contains(text, want) {
			t.Errorf("%+v: %s", o, text)
		}
	}
}

func TestSet(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "new", "trusted.json")
	if err := Set(file, "/a/~b", TrustFolder); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("mode = %v", info.Mode())
	}
	if err := os.WriteFile(file, []byte("{\n  // keep\n  \"/a/~b\": \"TRUST_FOLDER\",\n}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Set(file, "/a/~b", DoNotTrust); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			if err := Set(file, fmt.Sprintf("/c%d", i), TrustParent); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	levels, err := Read(file)
	if err != nil || len(levels) != 9 || levels["/a/~b"] != DoNotTrust || levels["/c7"] != TrustParent {
		t.Errorf("levels = %v, %v", levels, err)
	}
	data, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(data), "// keep") {
		t.Errorf("comment lost: %s, %v", data, err)
	}
	// A lock that was left behind does not block forever.
	old := time.Now().Add(-time.Hour)
	if err := os.WriteFile(file+".lock", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(file+".lock", old, old); err != nil {
		t.Fatal(err)
	}
	if err := Set(file, "/d", TrustFolder); err != nil {
		t.Error(err)
	}
	left, err := filepath.Glob(filepath.Join(filepath.Dir(file), "*"))
	if err != nil || len(left) != 1 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	// A file that cannot be parsed is not overwritten.
	if err := os.WriteFile(file, []byte("{broken"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Set(file, "/d", TrustFolder); exit.CodeOf(err) != exit.Config {
		t.Errorf("broken file: %v", err)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{`{"/a": "TRUST_FOLDER"}`, `{/*x*/"/a": "DO_NOT_TRUST",}`, "{}", ""} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		levels, err := parse(data)
		if err != nil {
			return
		}
		// An edit changes its path and nothing else.
		edited, err := edit(data, "/x/~y", DoNotTrust)
		if err != nil {
			return // null, which has no members
		}
		again, err := parse(edited)
		if err != nil {
			t.Fatalf("%q became %q: %v", data, edited, err)
		}
		levels["/x/~y"] = DoNotTrust
		if len(again) != len(levels) {
			t.Errorf("%q became %q", data, edited)
		}
		for p, l := range levels {
			if again[p] != l {
				t.Errorf("%q: %q became %q", data, p, again[p])
			}
		}
	})
}

// TestSource checks which folder decides about trust.
func TestSource(t *testing.T) {
	t.Parallel()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	at := func(name string) string { return filepath.Join(root, name) }
	file := at("trusted.json")
	for _, c := range []struct {
		levels Levels
		folder string
		level  Level
	}{
		{nil, "", ""},
		{Levels{at("other"): TrustFolder}, "", ""},
		{Levels{at("a"): TrustFolder, at("a/b/c"): DoNotTrust}, at("a"), TrustFolder},
		{Levels{at("a"): TrustFolder, at("a/b"): DoNotTrust}, at("a/b"), DoNotTrust},
		{Levels{at("a/x"): TrustParent}, at("a/x"), TrustParent},
		{Levels{at("a/b"): TrustFolder, at("a/b/."): DoNotTrust}, at("a/b/."), DoNotTrust},
		{Levels{at("a/b"): TrustFolder, at("a/./b"): TrustFolder}, at("a/./b"), TrustFolder},
	} {
		for path, level := range c.levels {
			if err := Set(file, path, level); err != nil {
				t.Fatal(err)
			}
		}
		folder, level, err := Source(Options{Dir: at("a/b"), File: file})
		if err != nil || folder != c.folder || level != c.level {
			t.Errorf("%v: %s, %s, %v", c.levels, folder, level, err)
		}
		if err := os.RemoveAll(file); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(file, []byte("[]"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Source(Options{Dir: root, File: file}); err == nil {
		t.Error("a damaged file is no error")
	}
}
