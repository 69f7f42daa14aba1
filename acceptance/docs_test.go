package acceptance

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pollux/internal/process/processtest"
)

// pages are the documents for users.
func pages(t *testing.T) map[string]string {
	t.Helper()
	names, err := filepath.Glob("../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	pages := map[string]string{}
	for _, name := range append(names, "../README.md", "../CONTRIBUTING.md") {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		pages[name] = string(text)
	}
	return pages
}

// TestReadme checks that the README shows the output of the demo; -update rewrites it.
func TestReadme(t *testing.T) {
	t.Parallel()
	cmd := exec.Command("pollux", "demo") // TestMain has put it on the path
	cmd.Env = processtest.Environ("HOME=" + t.TempDir())
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "<!-- demo output -->\n```text\n", "```\n<!-- end of demo output -->"
	text := pages(t)["../README.md"]
	before, rest, ok := strings.Cut(text, begin)
	shown, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatal("the README has no place for the demo's output")
	}
	// These parts differ on each run.
	changing := regexp.MustCompile(`127\.0\.0\.1:\d+|\S*/pollux-demo-\d+|\d+ ms|Done in [\d.]+ s`)
	same := changing.ReplaceAllString(string(out), "X") == changing.ReplaceAllString(shown, "X")
	switch {
	case same:
	case *update:
		if err := os.WriteFile("../README.md", []byte(before+begin+string(out)+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("the README does not show what the demo prints; if this is right, run make update:\n%s", out)
	}
}

// TestLinks checks that the targets of links in the pages exist, headings included.
func TestLinks(t *testing.T) {
	t.Parallel()
	link := regexp.MustCompile(`\]\(([^)#:\s]*)(?:#([^)]*))?\)`)
	all := pages(t)
	for name, text := range all {
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			target := name
			if m[1] != "" {
				target = filepath.Join(filepath.Dir(name), m[1])
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if m[2] != "" && !slices.Contains(anchors(all[target]), m[2]) {
				t.Errorf("%s: %s has no heading #%s", name, target, m[2])
			}
		}
	}
}

// anchors returns the names by which links refer to the headings of a page.
func anchors(text string) []string {
	var all []string
	for _, m := range regexp.MustCompile("(?m)^#+ (.*)$").FindAllStringSubmatch(text, -1) {
		name := regexp.MustCompile(`[^\pL\pN _-]`).ReplaceAllString(strings.ToLower(m[1]), "")
		all = append(all, strings.ReplaceAll(name, " ", "-"))
	}
	return all
}

// TestMap checks that docs/architecture.md lists exactly the packages that exist.
func TestMap(t *testing.T) {
	t.Parallel()
	text := pages(t)["../docs/architecture.md"]
	_, packages, _ := strings.Cut(text, "## Packages")
	packages, _, _ = strings.Cut(packages, "\n## ")
	listed := map[string]bool{}
	for _, m := range regexp.MustCompile("`([a-z0-9]+(?:/[a-z0-9]+)*)`").FindAllStringSubmatch(packages, -1) {
		listed[m[1]] = true
	}
	for _, top := range []string{"llm", "tool", "agent", "internal"} {
		err := filepath.WalkDir(filepath.Join("..", top), func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.IsDir() {
				return err
			}
			if d.Name() == "testdata" {
				return fs.SkipDir
			}
			if sources, _ := filepath.Glob(filepath.Join(path, "*.go")); len(sources) == 0 {
				return nil
			}
			pkg := filepath.ToSlash(strings.TrimPrefix(path, ".."+string(filepath.Separator)))
			if !listed[pkg] && !listed[strings.TrimPrefix(pkg, "internal/")] {
				t.Errorf("docs/architecture.md does not name %s", pkg)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for pkg := range listed {
		a, b := filepath.Join("..", pkg), filepath.Join("..", "internal", pkg)
		if !isDir(a) && !isDir(b) {
			t.Errorf("docs/architecture.md names %s, which is not there", pkg)
		}
	}
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
