package acceptance

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"pollux/internal/scriptmodel"
)

// TestModels checks that every model in the scripts can be parsed and is used.
func TestModels(t *testing.T) {
	t.Parallel()
	var files []string
	for _, pattern := range []string{"*.txtar", "*/*.txtar"} {
		some, err := filepath.Glob(pattern)
		if err != nil || len(some) == 0 {
			t.Fatal(some, err)
		}
		files = append(files, some...)
	}
	for _, name := range files {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range archive.Files {
			if !strings.HasSuffix(f.Name, ".model") {
				continue
			}
			if _, err := scriptmodel.Parse(string(f.Data)); err != nil {
				t.Errorf("%s: %s: %v", name, f.Name, err)
			}
			if c := string(archive.Comment); !strings.Contains(c, " "+f.Name) && !strings.Contains(c, " "+strings.TrimPrefix(f.Name, "project/")) && !strings.Contains(c, "/"+f.Name) {
				t.Errorf("%s: %s is not used", name, f.Name)
			}
		}
	}
}

// TestAnswersEnd checks that scripts of terminals let a run end before they type a command: while the last words of an answer are on the
// screen, the model may still work, and refuse it.
func TestAnswersEnd(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob("tui/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		models := ""
		for _, f := range archive.Files {
			if strings.HasSuffix(f.Name, ".model") {
				models += string(f.Data)
			}
		}
		for _, f := range archive.Files {
			if !strings.HasSuffix(f.Name, ".screen") {
				continue
			}
			answer := ""
			for line := range strings.Lines(string(f.Data)) {
				word, text, _ := strings.Cut(strings.TrimSpace(line), " ")
				switch {
				case word == "see" && regexp.MustCompile(`(?m)^\s*text ".*`+regexp.QuoteMeta(text)).MatchString(models):
					answer = text
				case word == "rest", word == "shot", word == "whole", word == "count":
					answer = ""
				case answer != "" && (word == "send" || word == "type") && (text[0] == '/' || text[0] == '!'):
					t.Errorf("%s: %s: no rest between see %s and %s", name, f.Name, answer, line)
				}
			}
		}
	}
}
