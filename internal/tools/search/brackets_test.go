package search_test

import (
	"testing"

	"pollux/internal/tools/search"
)

// Brackets are literal in a glob that matches nothing otherwise, as in the names of routes.
func TestBrackets(t *testing.T) {
	t.Parallel()
	w := space(t, map[string]string{"app/[id]/page.tsx": "owl\n", "app/[...all]/page.tsx": "owl\n", "lib/a.ts": "owl\n", "lib/c.ts": "cat\n"})
	glob := search.NewGlob(w)
	found := func(pattern, files string) string {
		return `Found 1 file(s) matching "` + pattern + `" within ROOT, sorted by modification time (newest first):` + "\n" + files
	}
	for pattern, want := range map[string]string{
		"app/[id]/*":    found(`app/\[id\]/*`, "app/[id]/page.tsx"),
		"**/[...all]/*": found(`**/\[...all\]/*`, "app/[...all]/page.tsx"),
		"lib/[ab].ts":   found("lib/[ab].ts", "lib/a.ts"),
		"lib/[x].ts":    `No files found matching pattern "lib/[x].ts" within ROOT`,
		"[id]/*":        `No files found matching pattern "[id]/*" within ROOT`,
	} {
		if got := run(t, w, glob, map[string]any{"pattern": pattern}); got != want {
			t.Errorf("glob %s: %s, want %s", pattern, got, want)
		}
	}
	for _, c := range []struct{ include, pattern, want string }{
		{"app/[id]/**", "owl", "Found 1 file with matches for pattern \"owl\" in path \".\" (filter: \"app/\\[id\\]/**\"):\napp/[id]/page.tsx"},
		{"app/[id]/**", "heron", `No matches found for pattern "heron" in path "." (filter: "app/\[id\]/**").`},
		{"lib/[ab].ts", "owl", "Found 1 file with matches for pattern \"owl\" in path \".\" (filter: \"lib/[ab].ts\"):\nlib/a.ts"},
		{"lib/[ab].ts", "cat", `No matches found for pattern "cat" in path "." (filter: "lib/[ab].ts").`},
		{"lib/[x]/*", "owl", `No matches found for pattern "owl" in path "." (filter: "lib/[x]/*"). No file matches "lib/[x]/*".`},
	} {
		for engine, grep := range engines(t, w) {
			got := run(t, w, grep, map[string]any{"pattern": c.pattern, "include_pattern": c.include, "names_only": true})
			if got != c.want {
				t.Errorf("%s: %s in %s: %s, want %s", engine, c.pattern, c.include, got, c.want)
			}
		}
	}
}
