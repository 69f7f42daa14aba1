package workspace

import (
	"path"
	"strings"
	"testing"
	"time"
)

// FuzzIgnoreFile checks that the indexed rules decide as the rules do one
// after the other, from the last to the first, and that leaving out the rules
// that cannot matter in a directory changes nothing.
func FuzzIgnoreFile(f *testing.F) {
	f.Add("*.log\n!keep.log\nbuild/\n/src/**/x\n", "src/a/x", true)
	f.Add("\ufeffa\r\n\\ \n[a-]b\n**/a**b/?\n", "a/ab/c", false)
	f.Add("a.b\n*.b\n!*.a.b\nx/a.b/\n", "x/a.b", true)
	f.Add("****\n[[:alpha:]]/[!\\]]*\n", "q/w", false)
	f.Fuzz(func(t *testing.T, text, rel string, dir bool) {
		file := parseIgnore([]byte(text))
		rel = strings.Trim(path.Clean("/"+strings.ReplaceAll(rel, "\x00", "")), "/")
		if rel == "" || len(rel) > 200 || len(text) > 2000 {
			return
		}
		name := path.Base(rel)
		var want *rule
		for i := len(file.rules) - 1; i >= 0 && want == nil; i-- {
			r := &file.rules[i]
			switch {
			case r.dirOnly && !dir:
			case r.nameOf && wildmatch(r.glob, name, false), !r.nameOf && r.matchPath(rel):
				want = r
			}
		}
		below := file.pathsBelow(file.paths, "")
		for i, c := range rel {
			if c == '/' {
				below = file.pathsBelow(below, rel[:i+1])
			}
		}
		if got := file.match(rel, name, dir, below); got != want {
			t.Errorf("%q of %q: got %v, want %v", rel, text, got, want)
		}
	})
}

// TestWildmatchIsBounded would take years if it were not.
func TestWildmatchIsBounded(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("a/", 100) + strings.Repeat("a", 1000)
	done := make(chan bool)
	go func() {
		for _, p := range []string{strings.Repeat("**/a*", 50) + "b", strings.Repeat("*a", 100) + "b", strings.Repeat("[a-z]*", 100) + "b", strings.Repeat("**/", 300) + "b"} {
			if wildmatch(p, text, true) || wildmatch(p, text, false) {
				t.Errorf("%.20s... matches", p)
			}
		}
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatal("still matching after a minute")
	}
}
