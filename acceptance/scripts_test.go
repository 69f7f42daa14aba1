package acceptance

import (
	"path/filepath"
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
