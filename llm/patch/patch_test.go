package patch_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pollux/llm/patch"
)

func TestParse(t *testing.T) {
	t.Parallel()
	update := []patch.File{{Path: "a", Hunks: []patch.Hunk{{Old: []string{"x", "y"}, New: []string{"x", "z"}}}}}
	for name, c := range map[string]struct {
		text string
		want []patch.File
	}{
		"all actions": {
			"*** Begin Patch\n*** Add File: n\n+one\n+\n+two\n*** Delete File: old\n*** Update File: a\n*** Move to: b\n@@ func f() {\n@@ if x\n x\n-y\n+z\n@@\n-p\n*** End of File\n*** End Patch\n",
			[]patch.File{
				{Action: patch.Add, Path: "n", Content: "one\n\ntwo\n"},
				{Action: patch.Delete, Path: "old"},
				{Path: "a", MoveTo: "b", Hunks: []patch.Hunk{{Anchors: []string{"func f() {", "if x"}, Old: []string{"x", "y"}, New: []string{"x", "z"}}, {Old: []string{"p"}}}},
			},
		},
		"no end":             {"*** Begin Patch\n*** Update File: a\n@@\n x\n-y\n+z", update},
		"no header":          {"*** Begin Patch\n*** Update File: a\n x\n-y\n+z\n*** End Patch", update},
		"no begin":           {"*** Update File: a\n@@\n x\n-y\n+z\n*** End Patch", update},
		"CRLF":               {"*** Begin Patch\r\n*** Update File: a\r\n@@\r\n x\r\n-y\r\n+z\r\n*** End Patch\r\n", update},
		"here-document":      {"apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: a\n@@\n x\n-y\n+z\n*** End Patch\nEOF\n", update},
		"only its end":       {"*** Begin Patch\n*** Update File: a\n@@\n x\n-y\n+z\nEOF\n", update},
		"empty lines around": {"\n*** Begin Patch\n\n*** Update File: a\n\n@@\n x\n-y\n+z\n\n*** End Patch\n", update},
		"an empty line of the file": {
			"*** Begin Patch\n*** Update File: a\n@@\n x\n\n-y\n*** End Patch", []patch.File{{Path: "a", Hunks: []patch.Hunk{{Old: []string{"x", "", "y"}, New: []string{"x", ""}}}}},
		},
		"hunks without header": {
			"*** Begin Patch\n*** Update File: a\n-x\n*** End of File\n-y\n*** End Patch", []patch.File{{Path: "a", Hunks: []patch.Hunk{{Old: []string{"x"}}, {Old: []string{"y"}}}}},
		},
		"a move": {"*** Begin Patch\n*** Update File: a\n*** Move to: b\n*** End Patch", []patch.File{{Path: "a", MoveTo: "b"}}},
	} {
		got, err := patch.Parse(c.text)
		if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", name, err, diff)
		}
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": `the patch names no file: a file begins with "*** Update File: PATH"`,
		"*** Begin Patch\n*** Update File: a\n*** End Patch":                     "line 2 of the patch: the patch changes nothing in a",
		"*** Begin Patch\n*** Update File: a\n*** Delete File: b\n*** End Patch": "line 2 of the patch: the patch changes nothing in a",
		"*** Begin Patch\n*** Update File: a\n@@ f\n*** End Patch":               "line 3 of the patch: hunk 1 of a is empty",
		"*** Begin Patch\n*** Update File: a\n@@\nx\n*** End Patch":              `line 4 of the patch: "x" begins with none of space, + and -`,
		"*** Begin Patch\n*** Add File: a\nx\n*** End Patch":                     "line 3 of the patch: a line of a new file begins with +",
		"*** Begin Patch\n*** Delete File: a\n-x\n*** End Patch":                 "line 3 of the patch: a is deleted, so that it has no lines",
		"*** Begin Patch\n*** Update File:  \n@@\n-x\n*** End Patch":             "line 2 of the patch: the path is missing",
		"*** Begin Patch\n+x\n*** Update File: a\n-x\n*** End Patch":             `line 2 of the patch: "+x" stands before the first file`,
		"*** Begin Patch\n*** Update File: a\n-x\n*** Begin\n*** End Patch":      `line 4 of the patch: "*** Begin" begins with none of space, + and -`,
		"Here it is:\n*** Begin Patch\n*** Update File: a\nx\n*** End Patch":     `line 3 of the patch: "x" begins with none of space, + and -`,
		"*** Update File: a\nx": `line 2 of the patch: "x" begins with none of space, + and -`,
		"*** Begin Patch\n*** Update File: a\n@@\n-x\n@@ f\n+y\n*** Delete File: b\n":      "line 5 of the patch: hunk 2 of a only adds lines: it needs a line of the file before or after them, beginning with a space",
		"*** Begin Patch\n*** Delete File: b\n*** Update File: a\n+y\n+z\n*** End Patch\n": "line 4 of the patch: hunk 1 of a only adds lines: it needs a line of the file before or after them, beginning with a space",
	} {
		if _, err := patch.Parse(text); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// A patch of the difference between two texts, applied to the first, is the second.
func TestInverse(t *testing.T) {
	t.Parallel()
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 1))
		// Each line has its sign. The first one stays, so that every change has a line before it.
		lines := []string{" line 0"}
		for i := range r.IntN(30) {
			lines = append(lines, string("   -+"[r.IntN(5)])+fmt.Sprint("line ", i+1))
		}
		before, after, text := "", "", "*** Begin Patch\n*** Update File: a\n"
		context := 1 + r.IntN(3)
		isShown := false
		for i, line := range lines {
			if line[0] != '+' {
				before += line[1:] + "\n"
			}
			if line[0] != '-' {
				after += line[1:] + "\n"
			}
			near := lines[max(0, i-context):min(len(lines), i+context+1)]
			wasShown := isShown
			if isShown = slices.ContainsFunc(near, func(l string) bool { return l[0] != ' ' }); !isShown {
				continue
			}
			if !wasShown {
				text += "@@\n"
			}
			text += line + "\n"
		}
		text += "*** End Patch\n"
		if before == after {
			continue
		}
		files, err := patch.Parse(text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		got := before
		for _, h := range files[0].Hunks {
			got = strings.Replace(got, strings.Join(h.Old, "\n")+"\n", strings.Join(append(h.New, ""), "\n"), 1)
		}
		if got != after {
			t.Fatalf("%q becomes %q, want %q\n%s", before, got, after, text)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("*** Begin Patch\n*** Update File: a\n*** Move to: b\n@@ f\n x\n\n-y\n+z\n*** End of File\n*** Add File: n\n+x\n*** Delete File: d\n*** End Patch\nEOF\n")
	f.Fuzz(func(t *testing.T, text string) {
		files, err := patch.Parse(text)
		if (err == nil) != (len(files) > 0) {
			t.Fatal(files, err)
		}
		for _, f := range files {
			for _, h := range f.Hunks {
				if f.Path == "" || f.Action != patch.Update || len(h.Old)+len(h.New) == 0 {
					t.Fatalf("%+v", f)
				}
			}
		}
	})
}
