package policy

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"pollux/internal/guard/trust"
	"pollux/internal/workspace"
)

// A command is not harmless if it reads files that are hidden from the model, through links in
// the project.
func TestLinksOut(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	root := filepath.Join(top, "work")
	write(t, top, "secret", "x")
	write(t, root, "a/b/file", "x")
	for link, target := range map[string]string{
		"a/b/up": root, "a/out": filepath.Join(top, "secret"), "rel": "../secret",
		"-y": "../secret", "x=y": "../secret", "up=": top, "a/b/\u4e2d": "../../../secret", "a/b/g\xff": "../../../secret", "a/\xfe/f": "../../../secret", "--x": "../secret",
	} {
		if strings.Contains(link, "\xfe") && os.Mkdir(filepath.Join(root, filepath.Dir(link)), 0o700) != nil {
			continue // names are valid UTF-8 on this system
		}
		if err := os.Symlink(target, filepath.Join(root, link)); err != nil {
			if !utf8.ValidString(link) {
				continue
			}
			t.Skip("this system has no symbolic links")
		}
	}
	ws, _ := workspace.New(workspace.Options{Root: root})
	e := engine(t, Options{Mode: Default, Interactive: true, Trust: trust.NewLive(trust.Trusted), Dir: ws.Root(), Inside: ws.Contains, Resolve: ws.Resolve})
	for _, tt := range []struct {
		dir, command string
		want         Decision
	}{
		{"", "cat a/b/file", Allow},
		{"a/b", "cat ../../a/b/file", Allow},
		{"@/a/b", "cat ../b/file", Allow},
		{"", "cat rel", Ask},
		{"", "cat a/b/up/../secret", Ask}, // the link is followed before the dots
		{"a/b/up", "cat ../secret", Ask},
		{"a/b/up", "ls ..", Ask},
		{"@/a", "cat ../../secret", Ask},
		{"@/a", "cat out", Ask},
		{"%61", "cat out", Ask},
		{"", "grep -R x .", Ask},
		{"", "grep -rn x .", Allow},
		{"", "grep --dereference-recursive x .", Ask},
		{"", "find -L .", Ask},
		{"", "find . -follow -name x", Ask},
		{"", "find . -name x", Allow},
		{"", "/usr/bin/rg -L x", Ask},
		{"", "/usr/bin/rg --follow x", Ask},
		{"", "/usr/bin/rg x", Allow},
		{"", "wc --files0-from=a/b/file", Ask},
		{"", "wc -l a/b/file", Allow},
		{"", "git diff main..other -- a/b", Allow},
		// Links that look like flags, or stand behind the letters of flags.
		{"", "cat -- -y", Ask},
		{"", "cat -- --x", Ask},
		{"", "head -n 1 -- -y", Ask},
		{"", "grep -rfrel .", Ask},
		{"", "grep -rf rel .", Ask},
		{"", "grep -rfx .", Allow},
		{"", "grep --file=rel .", Ask},
		{"", "cat x=y", Ask},
		{"", "cat up=~/x", Ask}, // which bash expands
		{"", "cat up=/x", Ask},
		{"", "cat $'a/b/\\u4e2d'", Ask},
		{"", "cat a/b/\u4e2d", Ask},
		{"", "cat $'a/b/g\\xff'", Ask},
		{"", "cat $'rel\\400x'", Ask},                        // a NUL ends the name
		{"", "cat " + strings.Repeat("d/", 2100) + "f", Ask}, // too long to follow its links
		{"", "ls -RL a", Ask},
		{"", "ls -LR", Ask},
		{"", "ls -R --dereference .", Ask},
		{"", "ls --deref a", Ask},
		{"", "ls -laR a/b", Allow},
		{"", "find -EL .", Ask},
		{"", "find -HL .", Ask},
		{"", "find . -depth -name L", Allow},
		{"", "git log --pretty=format:%h/%s -5", Allow},
		{"", "head -20 a/b/file", Allow},
		// Patterns: the files that they name now.
		{"", "wc -l a/b/f*", Allow},
		{"", "ls a && wc -l a/b/fi?e", Allow},
		{"a", "grep -n x b/f*", Allow},
		{"", "cat a/b/none*", Allow}, // bash passes it on
		{"", "cat a/*", Ask},         // a link leads out
		{"", "cat a/o*", Ask},
		{"", "cat a/b/*/../secret", Ask},
		{"", "cat a/b/up/r*", Ask},
		{"", "wc a/b/?", Ask}, // one character, or three bytes
		{"", "wc a/b/???", Ask},
		{"", "wc a/b/g?", Ask},
		{"", "wc a/?/f", Ask},
		{"", "cat *", Ask}, // a name may look like a flag
		{"", "cat -x/*", Ask},
		{"", "cat ./a/b/f*", Ask},
		{"", "cat a/./b/f*", Ask},
		{"", "cat a/**", Ask},
		{"", "cat a/*/*/*", Ask},
		{"", "cat a/b/[f]*", Ask},
		{"", "cat a/b/{file,x}*", Ask},
		{"", "cat \"a\"/b/f*", Ask},
		{"", "cat /etc/pass*", Ask},
		{"", "cat ../sec*", Ask},
		{"", "cat $HOME/f*", Ask},
		{"", "uniq a/b/f*", Ask}, // which writes to its second file
		{"", "sed -n 1p a/b/f*", Ask},
		{"", "grep -R x a/b/f*", Ask},
		{"", "wc --files0-from=a/b/f*", Ask},
	} {
		c := call(shellTool, "command", tt.command)
		if tt.dir != "" {
			c = call(shellTool, "command", tt.command, "dir_path", tt.dir)
		}
		if got := e.Check(c).Decision; got != tt.want {
			t.Errorf("%s in %q: %v, want %v", tt.command, tt.dir, got, tt.want)
		}
	}
}
