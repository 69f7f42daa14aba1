package drop

import (
	"strings"
	"testing"
	"time"
)

// newNames returns names on a system with these files.
func newNames(goos string, files ...string) *Names {
	has := map[string]bool{}
	for _, f := range files {
		has[f] = true
	}
	return &Names{
		GOOS: goos, Home: "/home/user", Dir: "/work", patience: time.Hour,
		Exists:  func(path string) bool { return has[path] },
		Mention: func(path string) (string, bool) { return "@<" + path + ">", !strings.Contains(path, "!") },
	}
}

func TestReplace(t *testing.T) {
	t.Parallel()
	n := newNames("linux", "/a.png", "/b c.png", "/it's", "/home/user/x", "/work/y", "/work/.env", "/é", "/bang!", "/work/.", "/q\\r")
	for _, c := range []struct{ name, pasted, want string }{
		{"bare", "/a.png", "@</a.png> "},
		{"line end", "/a.png\n", "@</a.png> "},
		{"spaces around", " /a.png  ", "@</a.png> "},
		{"a space in a bare name", "/b c.png", "@</b c.png> "},
		{"escaped", `/b\ c.png`, "@</b c.png> "},
		{"single quotes", "'/b c.png'", "@</b c.png> "},
		{"double quotes", `"/b c.png"`, "@</b c.png> "},
		{"quote in quotes", `'/it'\''s'`, "@</it's> "},
		{"backslash in single quotes", `'/q\r'`, `@</q\r> `},
		{"several", `/a.png '/b c.png' /b\ c.png`, "@</a.png> @</b c.png> @</b c.png> "},
		{"a name a line", "/a.png\n/b c.png\n", "@</a.png> @</b c.png> "},
		{"home", "~/x", "@</home/user/x> "},
		{"relative", "./y", "@<./y> "},
		{"hidden", ".env", "@<.env> "},
		{"URL", "file:///b%20c.png", "@</b c.png> "},
		{"URLs", "file:///a.png\r\nfile://localhost/%C3%A9", "@</a.png> @</é> "},
		{"not there", "/none", ""},
		{"one is not there", "/a.png /none", ""},
		{"text behind it", "/a.png is broken", ""},
		{"no path", "y", ""},
		{"a URL of the web", "https://x/a.png", ""},
		{"another host", "file://host/a.png", ""},
		{"bad URL", "file:///%zz", ""},
		{"open quote", "'/a.png", ""},
		{"dots", ".", ""},
		{"root", "/", ""},
		{"other home", "~root/x", ""},
		{"nothing", " \n", ""},
		{"cannot be mentioned", "/bang!", ""},
		{"large", "/a.png" + strings.Repeat(" ", maxSize), ""},
		{"many", strings.Repeat("/a.png\n", maxNames+1), ""},
	} {
		got, ok := n.Replace(c.pasted)
		if got != c.want && ok || ok != (c.want != "") {
			t.Errorf("%s: %q, %v", c.name, got, ok)
		}
	}
}

func TestReplaceOnWindows(t *testing.T) {
	t.Parallel()
	n := newNames("windows")
	n.Exists = func(string) bool { return true }
	for _, c := range []struct{ pasted, want string }{
		{`C:\a b\c.png`, `@<C:\a b\c.png> `},
		{`"C:\a b\c.png"`, `@<C:\a b\c.png> `},
		{`\\host\share\x`, `@<\\host\share\x> `},
		{`c:/x`, `@<c:/x> `},
		{`/help`, ""},
		{`1:\x`, ""},
		{`C:\`, ""},
	} {
		if got, ok := n.Replace(c.pasted); ok && got != c.want || ok != (c.want != "") {
			t.Errorf("%s: %q, %v", c.pasted, got, ok)
		}
	}
}

// TestSlowDisk checks that a paste is text if the disk does not respond, and that no second check begins.
func TestSlowDisk(t *testing.T) {
	t.Parallel()
	n := newNames("linux")
	n.patience = 0
	begun, end := make(chan struct{}, 10), make(chan struct{})
	n.Exists = func(string) bool {
		begun <- struct{}{}
		<-end
		return true
	}
	for range 2 {
		if got, ok := n.Replace("/a.png"); ok {
			t.Errorf("%q", got)
		}
	}
	<-begun
	if len(begun) > 0 {
		t.Error("a second check has begun")
	}
	close(end)
}

// FuzzReplace checks that each text ends in mentions or in none, and that only existing files are mentioned.
func FuzzReplace(f *testing.F) {
	f.Add(`/a '/b' "/c" \ file:///d%20`)
	f.Fuzz(func(t *testing.T, pasted string) {
		for _, goos := range [...]string{"linux", "windows"} {
			n := newNames(goos)
			n.Exists = func(path string) bool { return path != "" && !strings.HasSuffix(path, "x") }
			got, ok := n.Replace(pasted)
			if ok != (got != "") || ok && (!strings.HasPrefix(got, "@<") || !strings.HasSuffix(got, "> ") || strings.Contains(got, "x> ")) {
				t.Errorf("%q: %q", pasted, got)
			}
		}
	})
}
