package search_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"

	"pollux/internal/workspace"
	"pollux/tool"
)

func TestGrep(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		".gitignore":            "ignored/\n*.secret\n",
		"poem.txt":              "The owl\nthe cat\nAN OWL AGAIN\nowls owls\nlast",
		"src/main.go":           "package main\n\n// owl(1)\nfunc main() {}\n",
		"src/deep/er/owl.ts":    "const owl = 1\n",
		"ignored/owl.txt":       "owl\n",
		"x.secret":              "owl\n",
		".hidden":               "owl\n",
		".config/owl.txt":       "owl\n",
		".ssh/owl.txt":          "owl\n",
		".npmrc":                "owl\n",
		".env":                  "owl\n",
		".venv/owl.py":          "owl\n",
		"node_modules/m/i.js":   "owl\n",
		"build/out.txt":         "owl\n",
		"sub/dist/out.txt":      "owl\n",
		"debug.log":             "owl\n",
		"scratch.tmp":           "owl\n",
		"binary.dat":            "owl\x00owl\n",
		"late.dat":              "owl\n" + strings.Repeat("and much more\n", 30000) + "\x00\n",
		"invalid.txt":           "caf\xe9 heron\n",
		"crlf.txt":              "heron one\r\nheron two\r\n",
		"bom.txt":               "\ufeffstork at the start\n",
		"utf16.txt":             utf16Text("stork in wide letters\n"),
		"long.txt":              "crane " + strings.Repeat("ü", 3000) + "\n",
		"blank.txt":             "\n\n\n",
		"unicode.txt":           "Straße KELVIN \u212a ſharp\n",
		"many/a.txt":            strings.Repeat("plover\n", 5),
		"many/b.txt":            strings.Repeat("plover\nnot\n", 5),
		"regex.txt":             "a.b\na+b\n(x)\n[y]\n\\d\nfoo_bar baz-qux\n",
		"spaces.txt":            "ibis   \t\n  ibis\n",
		"name with space/é.txt": "kiwi\n",
	}
	w := space(t, files)
	type args = map[string]any
	for _, tc := range []struct {
		name string
		args args
		want string
	}{
		{"without regard to case", args{"pattern": "OWL", "dir_path": "poem.txt", "context": 0}, `
			Found 3 matches for pattern "OWL" in path "poem.txt" (ignoring case, unless case_sensitive is true):
			---
			File: poem.txt
			L1: The owl
			L3: AN OWL AGAIN
			L4: owls owls
			---`},
		{"with regard to case", args{"pattern": "owl", "dir_path": "poem.txt", "case_sensitive": true, "context": 0}, `
			Found 2 matches for pattern "owl" in path "poem.txt":
			---
			File: poem.txt
			L1: The owl
			L4: owls owls
			---`},
		{"what is skipped", args{"pattern": "owl", "context": 0}, `
			Found 7 matches for pattern "owl" in path ".":
			---
			File: .config/owl.txt
			L1: owl
			---
			File: .hidden
			L1: owl
			---
			File: poem.txt
			L1: The owl
			L3: AN OWL AGAIN
			L4: owls owls
			---
			File: src/deep/er/owl.ts
			L1: const owl = 1
			---
			File: src/main.go
			L3: // owl(1)
			---`},
		{"nothing ignored", args{"pattern": "^owl$", "no_ignore": true, "names_only": true}, `
			Found 10 files with matches for pattern "^owl$" in path ".":
			.config/owl.txt
			.hidden
			.venv/owl.py
			build/out.txt
			debug.log
			ignored/owl.txt
			node_modules/m/i.js
			scratch.tmp
			sub/dist/out.txt
			x.secret`},
		{"names only", args{"pattern": "owl", "names_only": true}, `
			Found 5 files with matches for pattern "owl" in path ".":
			.config/owl.txt
			.hidden
			poem.txt
			src/deep/er/owl.ts
			src/main.go`},
		{"below a directory", args{"pattern": "owl", "dir_path": "src", "names_only": true}, `
			Found 2 files with matches for pattern "owl" in path "src":
			src/deep/er/owl.ts
			src/main.go`},
		{"include by name", args{"pattern": "owl", "include_pattern": "*.ts", "names_only": true}, `
			Found 1 file with matches for pattern "owl" in path "." (filter: "*.ts"):
			src/deep/er/owl.ts`},
		{"include by braces", args{"pattern": "owl", "include_pattern": "*.{ts,go}", "names_only": true}, `
			Found 2 files with matches for pattern "owl" in path "." (filter: "*.{ts,go}"):
			src/deep/er/owl.ts
			src/main.go`},
		{"include by path", args{"pattern": "owl", "include_pattern": "src/*.go", "names_only": true}, `
			Found 1 file with matches for pattern "owl" in path "." (filter: "src/*.go"):
			src/main.go`},
		{"include by deep path", args{"pattern": "owl", "include_pattern": "src/**/*.ts", "names_only": true}, `
			Found 1 file with matches for pattern "owl" in path "." (filter: "src/**/*.ts"):
			src/deep/er/owl.ts`},
		{"include what is hidden", args{"pattern": "owl", "include_pattern": ".hid*", "names_only": true}, `
			Found 1 file with matches for pattern "owl" in path "." (filter: ".hid*"):
			.hidden`},
		{"include a private file", args{"pattern": "owl", "include_pattern": ".npm*", "names_only": true}, `
			Found 1 file with matches for pattern "owl" in path "." (filter: ".npm*"):
			.npmrc`},
		{"include a private directory", args{"pattern": "owl", "include_pattern": ".ssh/*", "names_only": true}, `
			Found 1 file with matches for pattern "owl" in path "." (filter: ".ssh/*"):
			.ssh/owl.txt`},
		{"in a private directory", args{"pattern": "owl", "dir_path": ".ssh", "names_only": true}, `
			Found 1 file with matches for pattern "owl" in path ".ssh":
			.ssh/owl.txt`},
		{"in a private file", args{"pattern": "owl", "dir_path": ".npmrc", "names_only": true}, `
			Found 1 file with matches for pattern "owl" in path ".npmrc":
			.npmrc`},
		{"include by the end of the name", args{"pattern": "owl", "include_pattern": "*.txt", "names_only": true}, `
			Found 2 files with matches for pattern "owl" in path "." (filter: "*.txt"):
			.config/owl.txt
			poem.txt`},
		{"include a hidden directory", args{"pattern": "owl", "include_pattern": ".config/**", "names_only": true}, `
			Found 1 file with matches for pattern "owl" in path "." (filter: ".config/**"):
			.config/owl.txt`},
		{"include a hidden directory among others", args{"pattern": "owl", "include_pattern": "**/{.config,src}/*", "names_only": true}, `
			Found 2 files with matches for pattern "owl" in path "." (filter: "**/{.config,src}/*"):
			.config/owl.txt
			src/main.go`},
		{"include secrets", args{"pattern": "owl", "include_pattern": ".env", "no_ignore": true}, `No matches found for pattern "owl" in path "." (filter: ".env").`},
		{"include what belongs to git", args{"pattern": "owl", "include_pattern": ".git/**", "no_ignore": true}, `No matches found for pattern "owl" in path "." (filter: ".git/**"). No file matches ".git/**".`},
		{"include but one", args{"pattern": "owl", "include_pattern": "!*.ts", "names_only": true}, `
			Found 4 files with matches for pattern "owl" in path "." (filter: "!*.ts"):
			.config/owl.txt
			.hidden
			poem.txt
			src/main.go`},
		{"include but a directory", args{"pattern": "owl", "include_pattern": "!src", "names_only": true}, `
			Found 3 files with matches for pattern "owl" in path "." (filter: "!src"):
			.config/owl.txt
			.hidden
			poem.txt`},
		{"include nothing", args{"pattern": "owl", "include_pattern": "*.rs"}, `No matches found for pattern "owl" in path "." (filter: "*.rs"). No file matches "*.rs" (node_modules left out).`},
		{"include what is left out", args{"pattern": "owl", "include_pattern": "*.log", "names_only": true}, `
			Found 1 file with matches for pattern "owl" in path "." (filter: "*.log"):
			debug.log`},
		{"include a file that is left out", args{"pattern": "owl", "include_pattern": "scratch*", "names_only": true}, `
			Found 1 file with matches for pattern "owl" in path "." (filter: "scratch*"):
			scratch.tmp`},
		{"include a directory that is left out", args{"pattern": "owl", "include_pattern": "**/dist/*", "names_only": true}, `
			Found 1 file with matches for pattern "owl" in path "." (filter: "**/dist/*"):
			sub/dist/out.txt`},
		{"include one of two directories", args{"pattern": "owl", "include_pattern": "{build,src}/**", "names_only": true}, `
			Found 3 files with matches for pattern "owl" in path "." (filter: "{build,src}/**"):
			build/out.txt
			src/deep/er/owl.ts
			src/main.go`},
		{"include all", args{"pattern": "ostrich", "include_pattern": "*"}, `No matches found for pattern "ostrich" in path "." (filter: "*"). There may be matches in what was left out: files named *.log or *.tmp (include_pattern can name them); files that ignore rules hide (no_ignore includes them); the directories .venv, build, dist (no_ignore includes them).`},
		{"include what is ignored", args{"pattern": "owl", "include_pattern": "*.secret"}, `No matches found for pattern "owl" in path "." (filter: "*.secret"). There may be matches in what was left out: files that ignore rules hide (no_ignore includes them).`},
		{"nothing where nothing is left out", args{"pattern": "ostrich", "dir_path": "src"}, `No matches found for pattern "ostrich" in path "src".`},
		{"nothing with no_ignore", args{"pattern": "ostrich", "no_ignore": true}, `No matches found for pattern "ostrich" in path ".".`},
		{"nothing but logs", args{"pattern": "ostrich", "include_pattern": "*.log"}, `No matches found for pattern "ostrich" in path "." (filter: "*.log").`},
		{"nothing", args{"pattern": "ostrich"}, `No matches found for pattern "ostrich" in path ".". There may be matches in what was left out: files named *.log or *.tmp (include_pattern can name them); files that ignore rules hide (no_ignore includes them); the directories .venv, build, dist (no_ignore includes them).`},
		{"ignored file", args{"pattern": "owl", "dir_path": "x.secret"}, `No matches found for pattern "owl" in path "x.secret". Nothing was searched: the file is hidden by the project's ignore files: set no_ignore to search it.`},
		{"ignored file, asked for", args{"pattern": "owl", "dir_path": "x.secret", "no_ignore": true, "names_only": true}, `
			Found 1 file with matches for pattern "owl" in path "x.secret":
			x.secret`},
		{"binary file", args{"pattern": "owl", "dir_path": "binary.dat"}, `No matches found for pattern "owl" in path "binary.dat". Nothing was searched: the file is binary.`},
		{"binary file, nothing in it", args{"pattern": "ostrich", "dir_path": "binary.dat"}, `No matches found for pattern "ostrich" in path "binary.dat". Nothing was searched: the file is binary.`},
		{"ignored directory", args{"pattern": "owl", "dir_path": "ignored"}, `No matches found for pattern "owl" in path "ignored". There may be matches in what was left out: files that ignore rules hide (no_ignore includes them).`},
		{"excluded lines", args{"pattern": "owl", "dir_path": "poem.txt", "exclude_pattern": "an|\\d", "context": 0}, `
			Found 2 matches for pattern "owl" in path "poem.txt":
			---
			File: poem.txt
			L1: The owl
			L4: owls owls
			---`},
		{"literal text", args{"pattern": "a.b", "fixed_strings": true, "context": 0}, `
			Found 1 match for pattern "a.b" in path ".":
			---
			File: regex.txt
			L1: a.b
			---`},
		{"literal brackets", args{"pattern": "[y", "fixed_strings": true, "context": 0}, `
			Found 1 match for pattern "[y" in path ".":
			---
			File: regex.txt
			L4: [y]
			---`},
		{"no expression", args{"pattern": "// owl(", "context": 0}, `
			Found 1 match for pattern "// owl(" in path "." (taken as literal text, as it is no regular expression: "missing closing )"):
			---
			File: src/main.go
			L3: // owl(1)
			---`},
		{"no expression, and no such text", args{"pattern": "ostrich(", "dir_path": "src"}, `No matches found for pattern "ostrich(" in path "src" (taken as literal text, as it is no regular expression: "missing closing )").`},
		{"an expression that is meant as text", args{"pattern": "// owl(1)", "dir_path": "src", "names_only": true}, `
			Found 1 file with matches for pattern "// owl(1)" in path "src" (taken as literal text):
			src/main.go`},
		{"an expression with matches", args{"pattern": "[x]", "dir_path": "regex.txt", "context": 0}, `
			Found 2 matches for pattern "[x]" in path "regex.txt":
			---
			File: regex.txt
			L3: (x)
			L6: foo_bar baz-qux
			---`},
		{"escaped slash and bracket", args{"pattern": `\(x\)|foo\/bar`, "context": 0}, `
			Found 1 match for pattern "\(x\)|foo\/bar" in path ".":
			---
			File: regex.txt
			L3: (x)
			---`},
		{"word boundary", args{"pattern": `\bbaz\b`, "context": 0, "names_only": true}, `
			Found 1 file with matches for pattern "\bbaz\b" in path ".":
			regex.txt`},
		{"negated class stays in its line", args{"pattern": `owl[^x]+cat`, "context": 0}, `No matches found for pattern "owl[^x]+cat" in path ".". There may be matches in what was left out: files named *.log or *.tmp (include_pattern can name them); files that ignore rules hide (no_ignore includes them); the directories .venv, build, dist (no_ignore includes them).`},
		{"space stays in its line", args{"pattern": `owl\s+the`, "context": 0}, `No matches found for pattern "owl\s+the" in path ".". There may be matches in what was left out: files named *.log or *.tmp (include_pattern can name them); files that ignore rules hide (no_ignore includes them); the directories .venv, build, dist (no_ignore includes them).`},
		{"ends of lines", args{"pattern": `^the cat$|^last$`, "context": 0}, `
			Found 2 matches for pattern "^the cat$|^last$" in path ".":
			---
			File: poem.txt
			L2: the cat
			L5: last
			---`},
		{"empty lines", args{"pattern": `^$`, "dir_path": "blank.txt", "context": 0}, `
			Found 3 matches for pattern "^$" in path "blank.txt":
			---
			File: blank.txt
			L1: 
			L2: 
			L3: 
			---`},
		{"everything", args{"pattern": ``, "dir_path": "poem.txt", "context": 0, "total_max_matches": 5}, `
			Found 5 matches for pattern "" in path "poem.txt":
			---
			File: poem.txt
			L1: The owl
			L2: the cat
			L3: AN OWL AGAIN
			L4: owls owls
			L5: last
			---`},
		{"look-ahead", args{"pattern": `owl(?=s)`, "context": 0}, `
			Found 1 match for pattern "owl(?=s)" in path ".":
			---
			File: poem.txt
			L4: owls owls
			---`},
		{"back-reference", args{"pattern": `(\w+) \1$`, "context": 0}, `
			Found 1 match for pattern "(\w+) \1$" in path ".":
			---
			File: poem.txt
			L4: owls owls
			---`},
		{"invalid UTF-8", args{"pattern": "heron", "dir_path": "invalid.txt", "context": 0}, "\nFound 1 match for pattern \"heron\" in path \"invalid.txt\":\n---\nFile: invalid.txt (encoding: windows-1252)\nL1: café heron\n---"},
		{"CRLF", args{"pattern": "heron", "dir_path": "crlf.txt", "context": 0}, `
			Found 2 matches for pattern "heron" in path "crlf.txt":
			---
			File: crlf.txt
			L1: heron one
			L2: heron two
			---`},
		{"byte order marks", args{"pattern": "^stork", "context": 0}, `
			Found 2 matches for pattern "^stork" in path ".":
			---
			File: bom.txt
			L1: stork at the start
			---
			File: utf16.txt (encoding: UTF-16LE)
			L1: stork in wide letters
			---`},
		{"letters of three forms", args{"pattern": "kelvin k sharp", "context": 0}, `
			Found 1 match for pattern "kelvin k sharp" in path ".":
			---
			File: unicode.txt
			L1: Straße KELVIN ` + "\u212a" + ` ſharp
			---`},
		{"long line", args{"pattern": "crane", "context": 0}, `
			Found 1 match for pattern "crane" in path ".":
			---
			File: long.txt
			L1: crane ` + strings.Repeat("ü", 494) + `... [cut: characters 1-500 of 3006]
			---`},
		{"matches per file", args{"pattern": "plover", "max_matches_per_file": 2, "context": 0}, `
			Found 4 matches for pattern "plover" in path ".":
			---
			File: many/a.txt
			L1: plover
			L2: plover
			---
			File: many/b.txt
			L1: plover
			L3: plover
			---`},
		{"shares of a limit", args{"pattern": "plover", "dir_path": "many", "total_max_matches": 7, "context": 0}, `
			Found 10 matches in 2 files for pattern "plover" in path "many" (7 shown):
			---
			File: many/a.txt (4 of 5 matches)
			L1: plover
			L2: plover
			L3: plover
			L4: plover
			---
			File: many/b.txt (3 of 5 matches)
			L1: plover
			L3: plover
			L5: plover
			---
			Not shown: 3 matches. To see them, narrow the search with a more precise pattern, exclude_pattern, dir_path or include_pattern, or raise total_max_matches.`},
		{"more files than matches", args{"pattern": "owl", "total_max_matches": 1, "context": 0}, `
			Found 7 matches in 5 files for pattern "owl" in path "." (1 shown):
			---
			File: .config/owl.txt
			L1: owl
			---
			Not shown: 6 matches, among them all in .hidden (1), poem.txt (3), src/deep/er/owl.ts (1), src/main.go (1). To see them, narrow the search with a more precise pattern, exclude_pattern, dir_path or include_pattern, or raise total_max_matches.`},
		{"more files than names", args{"pattern": "owl", "total_max_matches": 1, "names_only": true}, `
			Found 5 files with matches for pattern "owl" in path "." (1 listed):
			.config/owl.txt
			---
			Not listed: 4 files, in ./ (2), src/ (1), src/deep/er/ (1). To see them, narrow the search with a more precise pattern, exclude_pattern, dir_path or include_pattern, or raise total_max_matches.`},
		{"matches in all", args{"pattern": "plover", "dir_path": "many/b.txt", "total_max_matches": 2, "context": 0}, `
			Found 5 matches for pattern "plover" in path "many/b.txt" (2 shown):
			---
			File: many/b.txt (2 of 5 matches)
			L1: plover
			L3: plover
			---
			Not shown: 3 matches. To see them, narrow the search with a more precise pattern or exclude_pattern, or raise total_max_matches.`},
		{"context", args{"pattern": "again", "dir_path": "poem.txt", "context": 1}, `
			Found 1 match for pattern "again" in path "poem.txt":
			---
			File: poem.txt
			L2- the cat
			L3: AN OWL AGAIN
			L4- owls owls
			---`},
		{"before and after", args{"pattern": "the cat", "context": 5, "before": 0, "after": 1}, `
			Found 1 match for pattern "the cat" in path ".":
			---
			File: poem.txt
			L2: the cat
			L3- AN OWL AGAIN
			---`},
		{"automatic context", args{"pattern": "func main"}, `
			Found 1 match for pattern "func main" in path ".":
			---
			File: src/main.go
			L1- package main
			L2- 
			L3- // owl(1)
			L4: func main() {}
			---`},
		{"space at the ends", args{"pattern": "ibis", "context": 0}, "\nFound 2 matches for pattern \"ibis\" in path \".\":\n---\nFile: spaces.txt\nL1: ibis\nL2:   ibis\n---"},
		{"odd names", args{"pattern": "kiwi", "dir_path": "name with space", "context": 0}, `
			Found 1 match for pattern "kiwi" in path "name with space":
			---
			File: name with space/é.txt
			L1: kiwi
			---`},
		{"line break in the pattern", args{"pattern": "owl\nthe", "fixed_strings": true}, "invalid: Invalid regular expression pattern provided: owl\nthe. Error: the pattern contains a line break, but lines are searched one by one"},
		{"no such path", args{"pattern": "x", "dir_path": "gone"}, "invalid: Path does not exist: ROOT/gone"},
		{"outside", args{"pattern": "x", "dir_path": "../.."}, "invalid: Path not in workspace: "},
		{"wrong limit", args{"pattern": "x", "max_matches_per_file": 0}, "invalid: params/max_matches_per_file must be >= 1"},
		{"wrong type", args{"pattern": 1}, "invalid: params/pattern must be string"},
		{"no pattern", args{}, "invalid: params must have required property 'pattern'"},
		{"wrong pattern", args{"pattern": "(a\n"}, "invalid: Invalid regular expression pattern provided: (a\n. Error: "},
		{"wrong exclusion", args{"pattern": "a", "exclude_pattern": "[a"}, "invalid: Invalid exclude regular expression pattern provided: [a. Error: "},
	} {
		want := strings.TrimPrefix(strings.ReplaceAll(tc.want, "\n\t\t\t", "\n"), "\n")
		for engine, tl := range engines(t, w) {
			t.Run(tc.name+"/"+engine, func(t *testing.T) {
				t.Parallel()
				got := run(t, w, tl, tc.args)
				if strings.HasPrefix(want, "invalid") && strings.HasSuffix(want, " ") {
					got = got[:min(len(got), len(want))]
				}
				if got != want {
					t.Errorf("got\n%s\nwant\n%s", got, want)
				}
			})
		}
	}
}

func utf16Text(s string) string {
	out := "\xff\xfe"
	for _, u := range utf16.Encode([]rune(s)) {
		out += string([]byte{byte(u), byte(u >> 8)})
	}
	return out
}

// TestGrepOwnIgnoreFiles uses ignore rules that ripgrep does not know.
func TestGrepOwnIgnoreFiles(t *testing.T) {
	t.Parallel()
	w := space(t, map[string]string{
		".gitignore": "gen/\n", ".geminiignore": "!gen/\nprivate.txt\n", "custom": "!private.txt\n/a.txt\n",
		"gen/x.txt": "egret\n", "private.txt": "egret\n", "a.txt": "egret\n", "sub/a.txt": "egret\n",
	}, func(o *workspace.Options) { o.IgnoreFiles = []string{"custom"} })
	for engine, tl := range engines(t, w) {
		got := run(t, w, tl, map[string]any{"pattern": "egret", "names_only": true})
		want := "Found 3 files with matches for pattern \"egret\" in path \".\":\ngen/x.txt\nprivate.txt\nsub/a.txt"
		if got != want {
			t.Errorf("%s: got %s", engine, got)
		}
	}
}

// TestGrepAutomaticContext counts the context lines of one to three matches.
func TestGrepAutomaticContext(t *testing.T) {
	t.Parallel()
	lines := func(at ...int) string {
		all := make([]string, 200)
		for i := range all {
			all[i] = fmt.Sprintf("line %d", i+1)
		}
		for _, i := range at {
			all[i-1] = "rook"
		}
		return strings.Join(all, "\n")
	}
	w := space(t, map[string]string{"1.txt": lines(100), "2/2.txt": lines(50, 150), "4/4.txt": lines(1, 2, 3, 4)})
	for engine, tl := range engines(t, w) {
		for dir, want := range map[string]int{"1.txt": 11, "2": 22, "4": 4} {
			got := run(t, w, tl, map[string]any{"pattern": "rook", "dir_path": dir})
			if n := strings.Count(got, "\nL"); n != want {
				t.Errorf("%s: %s: %d lines, want %d", engine, dir, n, want)
			}
		}
	}
}

// TestGrepLimitedContext checks that a limit on matches brings no lines around them, and that a
// match among the lines around another one is not reported as missing.
func TestGrepLimitedContext(t *testing.T) {
	t.Parallel()
	w := space(t, map[string]string{"a.txt": "rook\nx\nrook two\ny\nz\n"})
	for engine, tl := range engines(t, w) {
		for _, c := range []struct {
			args map[string]any
			want string
		}{
			{map[string]any{"total_max_matches": 1}, "Found 2 matches in 1 file for pattern \"rook\" in path \".\" (1 shown):\n---\nFile: a.txt (1 of 2 matches)\nL1: rook\n---\nNot shown: 1 match."},
			{map[string]any{"total_max_matches": 1, "context": 3}, "Found 2 matches for pattern \"rook\" in path \".\":\n---\nFile: a.txt\nL1: rook\nL2- x\nL3: rook two\nL4- y\n---"},
			{map[string]any{"max_matches_per_file": 1}, "Found 1 match for pattern \"rook\" in path \".\":\n---\nFile: a.txt\nL1: rook\n---"},
		} {
			c.args["pattern"] = "rook"
			if got := run(t, w, tl, c.args); !strings.HasPrefix(got, c.want) {
				t.Errorf("%s: got %s, want %s", engine, got, c.want)
			}
		}
	}
}

// TestGrepLegacy searches files in other encodings than UTF-8, with context lines and without.
func TestGrepLegacy(t *testing.T) {
	t.Parallel()
	encode := func(c encoding.Encoding, text string) string {
		s, err := c.NewEncoder().String(text)
		must(t, err)
		return s
	}
	pad := strings.Repeat("int padding(void);\n", 10_000) // more than one chunk
	wide := encode(unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), "const heron 1\nconst owl 2\n")
	w := space(t, map[string]string{
		"gbk.c":   encode(simplifiedchinese.GBK, "/* 读取数据文件 */\nint read_data(void);\nint 校验 = 1; // foo 返回错误 bar\n/* 结束 */\n"),
		"late.c":  pad + encode(simplifiedchinese.GBK, "/* 读取数据文件 */\nint late;\n"),
		"big5.c":  encode(traditionalchinese.Big5, "/* 許功蓋 */ // 檔案\nint big; // 人fox\n"),
		"sjis.py": encode(japanese.ShiftJIS, "# ソース表示 データを読む\n"),
		"utf8.c":  "/* 读取数据文件 */\nint utf;\n",
		"koi.txt": encode(charmap.KOI8R, "Файл не найден, проверьте путь.\n"),
		"wide.h":  wide,
	})
	for _, c := range []struct {
		args map[string]any
		want string
	}{
		{map[string]any{"pattern": "数据", "context": 0}, "Found 3 matches in path...|gbk.c (encoding: GB18030)|L1: /* 读取数据文件 */|late.c (encoding: GB18030)|L10001: /* 读取数据文件 */|utf8.c|L1: /* 读取数据文件 */"},
		{map[string]any{"pattern": "foo.*bar", "context": 0}, "gbk.c (encoding: GB18030)|L3: int 校验 = 1; // foo 返回错误 bar"},
		{map[string]any{"pattern": "foo", "context": 1}, "gbk.c (encoding: GB18030)|L2- int read_data(void);|L3: int 校验 = 1; // foo 返回错误 bar|L4- /* 结束 */"},
		{map[string]any{"pattern": "int late", "context": 1}, "late.c (encoding: GB18030)|L10001- /* 读取数据文件 */|L10002: int late;"},
		{map[string]any{"pattern": "\\", "fixed_strings": true, "context": 0}, "No matches found"}, // the second byte of 許
		{map[string]any{"pattern": "^# ソース表示", "context": 0}, "sjis.py (encoding: Shift_JIS)|L1: # ソース表示 データを読む"},
		{map[string]any{"pattern": "ПРОВЕРЬТЕ", "context": 0}, "koi.txt (encoding: KOI8-R)|L1: Файл не найден, проверьте путь."},
		{map[string]any{"pattern": "int", "exclude_pattern": "校验", "include_pattern": "gbk.c", "context": 0}, "gbk.c|L2: int read_data(void);"},
		{map[string]any{"pattern": "owl", "dir_path": "wide.h", "context": 0}, "wide.h (encoding: UTF-16LE)|L2: const owl 2"},
		{map[string]any{"pattern": "owl", "context": 0}, "No matches found"},
		{map[string]any{"pattern": `\bfox`, "context": 0}, "big5.c (encoding: Big5)|L2: int big; // 人fox"}, // the second byte of 人 is a letter
	} {
		got := map[string]string{}
		for engine, tl := range engines(t, w) {
			got[engine] = run(t, w, tl, c.args)
			for _, want := range strings.Split(strings.TrimPrefix(c.want, "Found 3 matches in path...|"), "|") {
				if !strings.Contains(got[engine], want) {
					t.Errorf("%s: %v: no %q in %s", engine, c.args, want, got[engine])
				}
			}
		}
		if r, ok := got["ripgrep"]; ok && r != got["here"] {
			t.Errorf("%v: here %s, ripgrep %s", c.args, got["here"], r)
		}
	}
}

// TestGrepNoText checks that dots and classes do not match invalid UTF-8.
func TestGrepNoText(t *testing.T) {
	t.Parallel()
	w := space(t, map[string]string{"a": "\xff\n", "b": "x\xffy z\n", "c": "x\ufffdy\n"})
	for pattern, want := range map[string]string{
		`\W`: "b c", "x.y": "c", "x[^a]y": "c", ".": "b c", "y": "b c", "^$": "", `\s`: "b",
	} {
		for engine, tl := range engines(t, w) {
			got := run(t, w, tl, map[string]any{"pattern": pattern, "names_only": true})
			_, list, _ := strings.Cut(got, ":\n")
			if names := strings.ReplaceAll(list, "\n", " "); names != want {
				t.Errorf("%s: %s is in %q, want %q", engine, pattern, names, want)
			}
		}
	}
}

// TestGrepFits asks for more lines around the matches than the result may have: they are left
// out, and no match is.
func TestGrepFits(t *testing.T) {
	t.Parallel()
	files := map[string]string{}
	for i := range 20 {
		files[fmt.Sprintf("%02d.txt", i)] = strings.Repeat(strings.Repeat("around it ", 10)+"\n", 200) + "rook\n" + strings.Repeat("below it\n", 200)
	}
	files["wide.txt"] = strings.Repeat(strings.Repeat("ä", 1500)+"rook\n", 9) + strings.Repeat("ä", 5000) + "rook" + strings.Repeat("ö", 5000)
	w := space(t, files)
	for engine, tl := range engines(t, w) {
		for _, limit := range []int{0, 20_000, 10_000, 3000} {
			inv, err := tool.Build(tl, []byte(`{"pattern":"rook","context":150}`))
			must(t, err)
			got := inv.Run(t.Context(), tool.Host{Limit: limit}).Content[0].Text
			if limit > 0 && len(got) > limit+1000 {
				t.Errorf("%s: %d bytes, limit %d", engine, len(got), limit)
			}
			if limit == 0 || limit >= 10_000 {
				if n := strings.Count(got, "\nL"+"201: rook") + strings.Count(got, "rook [cut") + strings.Count(got, "rook\n"); n < 30 {
					t.Errorf("%s: %d: %d matches", engine, limit, n)
				}
			}
			if !utf8.ValidString(got) {
				t.Errorf("%s: %d: a character is cut", engine, limit)
			}
			if isCut := strings.Contains(got, "would be too long"); isCut != (limit > 0) {
				t.Errorf("%s: %d: %.300s", engine, limit, got)
			}
			if where := "[cut: characters 4876-5375 of 10004]"; limit == 20_000 && !strings.Contains(got, where) {
				t.Errorf("%s: no %s", engine, where)
			}
			if limit == 3000 && (!strings.Contains(got, "\nNot shown: ") || !strings.Contains(got, " (1), wide.txt (10). ")) {
				t.Errorf("%s: %d: %s", engine, limit, got)
			}
		}
	}
}

// TestGrepAlike checks that a result shows few of too many lines that differ only in numbers, unless the call asks for
// more or the lines are in many files.
func TestGrepAlike(t *testing.T) {
	t.Parallel()
	var log, other strings.Builder
	for i := range 150 {
		fmt.Fprintf(&log, "12:%02d request %d failed\n", i%60, i*i)
		fmt.Fprintf(&other, "request %d failed%s\n", i, strings.Repeat("!", i%2))
	}
	files := map[string]string{"a.txt": log.String(), "other/b.txt": other.String()}
	for i := range 30 {
		files[fmt.Sprintf("many/%02d.txt", i)] = strings.Repeat("request 1 failed\n", 5)
	}
	w := space(t, files)
	const said = "\nNot shown: 140 matches. The first ones differ only in numbers: exclude_pattern can drop lines like them. To see them, narrow the search with "
	for engine, tl := range engines(t, w) {
		for name, c := range map[string]struct {
			args  map[string]any
			shown int
		}{
			"alike":        {map[string]any{"dir_path": "a.txt"}, 10},
			"asked":        {map[string]any{"dir_path": "a.txt", "total_max_matches": 100}, 100},
			"differ":       {map[string]any{"dir_path": "other"}, 100},
			"many files":   {map[string]any{"dir_path": "many"}, 100},
			"not too many": {map[string]any{"dir_path": "a.txt", "exclude_pattern": `12:[0-4]`}, 20},
		} {
			c.args["pattern"] = "request .* failed"
			got := run(t, w, tl, c.args)
			if n := strings.Count(got, "\nL"); n != c.shown || strings.Contains(got, said) != (c.shown == 10) {
				t.Errorf("%s: %s: %d shown: %.300s ... %s", engine, name, n, got, got[max(0, len(got)-300):])
			}
		}
	}
}

// TestAbsoluteInclude checks that include_pattern may be an absolute path.
func TestAbsoluteInclude(t *testing.T) {
	t.Parallel()
	w := space(t, map[string]string{"src/a.go": "owl\n", "src/deep/b.go": "owl\n", "c.go": "owl\n"})
	for _, c := range []struct{ include, dir, want string }{
		{w.Root() + "/src/**/*.go", "", "src/a.go\nsrc/deep/b.go"},
		{w.Root() + "/*.go", "", "c.go"},
		{"!" + w.Root() + "/src/**", "", "c.go"},
		{w.Root() + "/src/*.go", "src", "src/a.go"},
		{"/src/*.go", "", "src/a.go"},
	} {
		for name, tl := range engines(t, w) {
			got := run(t, w, tl, map[string]any{"pattern": "owl", "include_pattern": c.include, "dir_path": c.dir, "names_only": true})
			if _, names, _ := strings.Cut(got, ":\n"); names != c.want {
				t.Errorf("%s: %s in %q: %s", name, c.include, c.dir, got)
			}
		}
	}
}
