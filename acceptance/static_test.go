package acceptance

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestStatic checks that all instructions build a program that needs no library of the system, as bench/cost counts: with a C
// compiler, Go would link libc.
func TestStatic(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob("../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	build, found := regexp.MustCompile(`(?m)^.*\bgo (?:build|install)\b.* \./cmd/pollux\b.*$`), 0
	for _, file := range append(pages, "../README.md", "../Makefile", "../bench/compare") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range build.FindAllString(string(text), -1) {
			if found++; !strings.Contains(line, "CGO_ENABLED=0 go ") {
				t.Errorf("%s builds a program that may need libc: %s", file, strings.TrimSpace(line))
			}
		}
	}
	if found < 6 {
		t.Errorf("only %d instructions", found)
	}
}
