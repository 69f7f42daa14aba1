package docs_test

import (
	"strings"
	"testing"

	"pollux/docs"
)

func TestPages(t *testing.T) {
	t.Parallel()
	entries, err := docs.Pages.ReadDir(".")
	if err != nil || len(entries) < 10 {
		t.Fatal(entries, err)
	}
	for _, e := range entries {
		text, err := docs.Pages.ReadFile(e.Name())
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "<!--") || !strings.HasPrefix(string(text), "# ") {
			t.Errorf("%s has comments or no title:\n%.300s", e.Name(), text)
		}
	}
}
