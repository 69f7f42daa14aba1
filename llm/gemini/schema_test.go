package gemini

import (
	"bytes"
	"encoding/json"
	"testing"
)

// Types that allow null are described as the vendor does, all else stays as it is.
func TestNullable(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ in, want string }{
		{`{"type":"string"}`, `{"type":"string"}`},
		{`{"type":["string","null"],"a":1}`, `{"type":"string","nullable":true,"a":1}`},
		{`{"type":["null","integer"]}`, `{"type":"integer","nullable":true}`},
		{`{"type":["string","integer","null"]}`, `{"type":["string","integer","null"]}`},
		{`{"type":["null"]}`, `{"type":["null"]}`},
		{`{"type":["null","null"]}`, `{"type":["null","null"]}`},
		{`{"type":"null"}`, `{"type":"null"}`},
		{
			`{"z":{"items":{"type":["string","null"]}},"a":[{"type":["null","x"]},2,null]}`,
			`{"z":{"items":{"type":"string","nullable":true}},"a":[{"type":"x","nullable":true},2,null]}`,
		},
		{`{"enum":[{"type":["a","null"]}],"default":{"type":["a","null"]}}`, `{"enum":[{"type":["a","null"]}],"default":{"type":["a","null"]}}`},
		{`{"type":["a","null"]`, `{"type":["a","null"]`},
	} {
		if got := string(nullable([]byte(c.in))); got != c.want {
			t.Errorf("%s: %s, want %s", c.in, got, c.want)
		}
	}
}

func FuzzNullable(f *testing.F) {
	f.Add(`{"type":["string","null"],"properties":{"a":{"type":["null","x"]}}}`)
	f.Add(`[[["null"]]]`)
	f.Fuzz(func(t *testing.T, schema string) {
		got := nullable([]byte(schema))
		if json.Valid([]byte(schema)) && !json.Valid(got) {
			t.Errorf("%q became %q", schema, got)
		}
	})
}

func FuzzCompact(f *testing.F) {
	for _, seed := range []string{`{"a":[1,"x y\"z\\"]}`, `{ "a" : 1 }`, `{"a":01}`, `"\u12"`, "\"\x01\"", "\"\xff\"", `{"a":1}{`, ``, ` `, `{"a":1,}`, `[1e+]`, `-`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, schema string) {
		got, ok := compact([]byte(schema))
		var want bytes.Buffer
		if err := json.Compact(&want, []byte(schema)); ok != (err == nil) || ok && !bytes.Equal(got, want.Bytes()) {
			t.Errorf("%q became %q, %t; want %q, %v", schema, got, ok, want.Bytes(), err)
		}
	})
}
