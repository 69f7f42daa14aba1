package acceptance

import (
	"debug/elf"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"pollux/internal/process/processtest"
)

// TestStatic checks that the program needs no library of the system, and that all instructions build it so: with a C
// compiler, Go would link libc.
func TestStatic(t *testing.T) {
	t.Parallel()
	program, err := elf.Open(processtest.Build(t))
	if err != nil {
		t.Fatal(err)
	}
	defer program.Close()
	if libraries, err := program.ImportedLibraries(); err != nil || len(libraries) > 0 {
		t.Errorf("needs %q, %v", libraries, err)
	}
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
