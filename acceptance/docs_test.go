package acceptance

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// pages are the documents that a reader meets.
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

// What the pages link to is there.
func TestLinks(t *testing.T) {
	t.Parallel()
	link := regexp.MustCompile(`\]\(([^)#:\s]+)(?:#[^)]*)?\)`)
	for name, text := range pages(t) {
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(name), m[1])); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// The map in docs/architecture.md names every room, and no other.
func TestMap(t *testing.T) {
	t.Parallel()
	text := pages(t)["../docs/architecture.md"]
	_, rooms, _ := strings.Cut(text, "## The rooms")
	rooms, _, _ = strings.Cut(rooms, "\n## ")
	drawn := map[string]bool{}
	for _, m := range regexp.MustCompile("`([a-z]+(?:/[a-z]+)*)`").FindAllStringSubmatch(rooms, -1) {
		drawn[m[1]] = true
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
			room := filepath.ToSlash(strings.TrimPrefix(path, ".."+string(filepath.Separator)))
			if !drawn[room] && !drawn[strings.TrimPrefix(room, "internal/")] {
				t.Errorf("docs/architecture.md does not name %s", room)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for room := range drawn {
		a, b := filepath.Join("..", room), filepath.Join("..", "internal", room)
		if !isDir(a) && !isDir(b) {
			t.Errorf("docs/architecture.md names %s, which is not there", room)
		}
	}
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
