package acceptance

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"pollux/internal/scriptmodel"
)

// archives returns the scripts by the names of their files.
func archives(t *testing.T) map[string]*txtar.Archive {
	t.Helper()
	all := map[string]*txtar.Archive{}
	for _, pattern := range []string{"*.txtar", "*/*.txtar"} {
		names, err := filepath.Glob(pattern)
		if err != nil || len(names) == 0 {
			t.Fatal(names, err)
		}
		for _, name := range names {
			if all[name], err = txtar.ParseFile(name); err != nil {
				t.Fatal(err)
			}
		}
	}
	return all
}

// TestModels checks that every model in the scripts can be parsed and is used.
func TestModels(t *testing.T) {
	t.Parallel()
	for name, archive := range archives(t) {
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

// TestAnswersEnd checks that scripts of terminals let a run end, or wait for a file, before they type a command: while the last words of an
// answer are on the screen, the model may still work, and refuse it.
func TestAnswersEnd(t *testing.T) {
	t.Parallel()
	for name, archive := range archives(t) {
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
				case word == "rest", word == "shot", word == "whole", word == "wait":
					answer = ""
				case answer != "" && (word == "send" || word == "type") && (strings.HasPrefix(text, "/") || strings.HasPrefix(text, "!")):
					t.Errorf("%s: %s: no rest between see %s and %s", name, f.Name, answer, line)
				}
			}
		}
	}
}
