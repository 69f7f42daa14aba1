package config

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// FuzzComments takes comments out of any bytes. If JSON is left, the parser that supports
// comments reads the same.
func FuzzComments(f *testing.F) {
	for _, seed := range []string{
		"{} // end", "// a\n{\"a\": /* b */ 1}", `{"a": "// no /* comment"}`, `{"\"//": "\\"} /**/`, `{/*/}`, `{"a": 1 /* b`,
		"{//\r\n}", `{"a": 1, /* b */}`, `1 / 2`, `"/`, `{"a": "b`, "/*é*/ 1", "/*\xff*/ 1", `/`, "//", "{}/",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		text := string(data)
		plain := withoutComments(data)
		if string(data) != text {
			t.Fatal("the text was changed")
		}
		var got, want any
		if plain == nil || json.Unmarshal(plain, &got) != nil || depth(data) > maxDepth {
			return
		}
		value, err := parseCommented(data)
		if err != nil {
			t.Fatalf("%q was read, and is none: %v", text, err)
		}
		value.Standardize()
		if err := json.Unmarshal(value.Pack(), &want); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
	})
}

// A full settings file with comments.
func BenchmarkParse(b *testing.B) {
	var text strings.Builder
	text.WriteString("{\n")
	for i := range table {
		text.WriteString("// " + strings.Repeat("what it is for ", 4) + "\n\"" + table[i].Path + "\": {\"a\": true, \"b\": \"text\"},\n")
	}
	text.WriteString("\"end\": 1}")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ParseObject([]byte(text.String())); err != nil {
			b.Fatal(err)
		}
	}
}
