package process

import (
	"strings"
	"testing"
)

func TestBatchLine(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		args []string
		want string // behind the name of the file
	}{
		{nil, ``},
		{[]string{"-y", "@scope/server", `C:\a`}, ` -y @scope/server C:\a`},
		{[]string{"", "a b"}, ` "" "a b"`},
		{[]string{"https://h/?a=1&del=b"}, ` "https://h/?a=1&del=b"`},
		{[]string{`say "x" & y`}, ` "say ""x"" & y"`},
		{[]string{`a\"b`}, ` "a\\""b"`},
		{[]string{`C:\dir\`, `C:\my dir\`}, ` "C:\dir\\" "C:\my dir\\"`},
		{[]string{"%PATH%"}, ` "%%cd:~,%PATH%%cd:~,%"`},
		{[]string{"^|<>()!;,"}, ` "^|<>()!;,"`},
		{[]string{"日本"}, ` "日本"`},
	} {
		const head = `cmd.exe /e:ON /v:OFF /d /c ""C:\Program Files\npx.cmd"`
		got, err := batchLine(`C:\Program Files\npx.cmd`, tt.args)
		if want := head + tt.want + `"`; got != want || err != nil {
			t.Errorf("%q:\n%s, %v\nwant\n%s", tt.args, got, err, want)
		}
	}
	for _, arg := range []string{"a\nb", "a\rb", "a\x00b"} {
		if got, err := batchLine(`C:\x.cmd`, []string{arg}); err == nil {
			t.Errorf("%q is passed on: %s", arg, got)
		}
	}
}

// Whatever an argument is, the interpreter stays within quotes at each character with a meaning for it.
func FuzzBatchLine(f *testing.F) {
	f.Add(`a" & del x`)
	f.Add(`\\"%PATH%`)
	f.Fuzz(func(t *testing.T, arg string) {
		line, err := batchLine(`C:\x.cmd`, []string{arg})
		if err != nil {
			return
		}
		line = strings.TrimSuffix(strings.TrimPrefix(line, `cmd.exe /e:ON /v:OFF /d /c "`), `"`)
		isQuoted := false
		for _, r := range line {
			switch {
			case r == '"':
				isQuoted = !isQuoted
			case !isQuoted && strings.ContainsRune("&|<>^()%!\n", r):
				t.Fatalf("%q: %q is outside of quotes: %s", arg, r, line)
			}
		}
		if isQuoted {
			t.Fatalf("%q: quotes are open: %s", arg, line)
		}
		if rest := strings.ReplaceAll(line, `%%cd:~,%`, ""); strings.Contains(rest, "%") {
			t.Fatalf("%q: a variable is expanded: %s", arg, line)
		}
	})
}

func TestIsBatch(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]bool{`C:\n\npx.cmd`: true, `C:\n\NPX.CMD`: true, `a.bat`: true, `C:\n\node.exe`: false, `C:\cmd`: false} {
		if got := isBatch(path); got != want {
			t.Errorf("%s: %t", path, got)
		}
	}
}
