package workspace

import "testing"

func TestWindowsAlias(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		`C:\p\src\main.go`: "", `C:\p\.gitignore`: "", "./a/../b.c.d": "", `\\server\share\x`: "", "C:": "", "": "",
		"console.log": "", "common/x": "", "COM10": "", "lpt": "", "aux1": "", "nullable.go": "", " a": "",
		`C:\p\Makefile.`: "Makefile.", "Makefile ": "Makefile ", "Makefile::$DATA": "Makefile::$DATA", "a.txt:hidden": "a.txt:hidden",
		"dir./x": "dir.", `a\...\b`: "...", "CON": "CON", "src/nul.txt": "nul.txt", "aux .c": "aux .c", "com1": "com1", "LPT9.log": "LPT9.log",
		"COM²": "COM²", "conin$": "conin$", "C:a:b": "a:b",
	} {
		if got := windowsAlias(path); got != want {
			t.Errorf("%q: %q, want %q", path, got, want)
		}
	}
}

func FuzzWindowsAlias(f *testing.F) {
	f.Add(`C:\a\b.`)
	f.Add("nul")
	f.Fuzz(func(t *testing.T, path string) {
		if name := windowsAlias(path); name != "" && windowsAlias("x/"+name) != name {
			t.Errorf("%q has %q, which alone is fine", path, name)
		}
	})
}
