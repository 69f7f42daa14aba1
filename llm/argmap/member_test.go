package argmap

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// objects are objects whose members are easy to read in two ways.
var objects = []string{
	`{}`, ` { } `, `{"a":1}`, "\n{ \"a\" :\t1 ,\r\"b\" : [ 1 , { \"c\" : \"}\" } ] }\n", `{"a":1,"a":2,"A":3}`,
	`{"\u0061":1,"a\u0000":2,"\ud800":3,"\ud83d\ude00":4,"\ud83dx":5,"\"":6,"\\":7,"\/":8}`, "{\"\xff\":1,\"\xed\xa0\x80\":2,\"a\xc3\":3}",
	`{"":"","x":"\\\"","y":"]}","z":{"a":{"b":[]}}}`, `{"a":-1.5e+9,"b":true,"c":false,"d":null}`, `{"a":"{\"b\":1}"}`,
	``, `null`, `[]`, `"a"`, `1`, `{`, `{"a"`, `{"a":`, `{"a":1`, `{"a":1,`, `{"a":1,}`, `{a:1}`, `{"a":01}`, "{\"a\":\"\n\"}", `{"a":tru}`, `{"a":1}}`, `{"a":1} {}`, `{"a":"\x"}`,
	"\xef\xbb\xbf{}", "\f{}", `{"a":` + strings.Repeat("[", 20000) + strings.Repeat("]", 20000) + `}`,
}

// decode returns the members of an object as encoding/json decodes them, and whether data is
// an object.
func decode(data []byte) ([]member, bool) {
	if !json.Valid(data) || bytes.TrimSpace(data)[0] != '{' {
		return nil, false
	}
	d := json.NewDecoder(bytes.NewReader(data))
	_, _ = d.Token() // the brace
	var out []member
	for d.More() {
		var m member
		name, _ := d.Token()
		m.name = name.(string)
		_ = d.Decode(&m.value)
		out = append(out, m)
	}
	return out, true
}

// checkMembers compares the members of an object with those that encoding/json decodes.
func checkMembers(t *testing.T, data []byte) {
	want, isObject := decode(data)
	got, err := members(data)
	if (err == nil) != isObject || len(got) != len(want) {
		t.Fatalf("%.200q: %d members, error %v, want %d members", data, len(got), err, len(want))
	}
	for i := range want {
		if got[i].name != want[i].name || !bytes.Equal(got[i].value, want[i].value) {
			t.Errorf("%.200q: member %q of %q, want %q of %q", data, got[i].value, got[i].name, want[i].value, want[i].name)
		}
	}
	for _, m := range got {
		var all map[string]json.RawMessage
		if err := json.Unmarshal(data, &all); err != nil || all[m.name] == nil {
			t.Errorf("%.200q: a map has no %q: %v", data, m.name, err)
		}
	}
}

func TestMembers(t *testing.T) {
	t.Parallel()
	for _, o := range objects {
		checkMembers(t, []byte(o))
	}
}

func FuzzMembers(f *testing.F) {
	for _, o := range objects {
		f.Add([]byte(o))
	}
	f.Fuzz(checkMembers)
}

// TestNestedSchema checks that values deep in a schema are read, and that a schema without an
// end of its own is.
func TestNestedSchema(t *testing.T) {
	t.Parallel()
	nest := func(depth int) (schema, value, want string) {
		return strings.Repeat(`{"type":"object","properties":{"a":`, depth) + `{"type":"integer"}` + strings.Repeat("}}", depth),
			strings.Repeat(`{"a":`, depth) + `"5"` + strings.Repeat("}", depth),
			strings.Repeat(`{"a":`, depth) + `5` + strings.Repeat("}", depth)
	}
	for _, depth := range []int{1, 2, 9, 10, 1000} {
		schema, value, want := nest(depth)
		if depth > 9 {
			want = value // deeper than values are read
		}
		got := Names{}.Read("t", json.RawMessage(schema), json.RawMessage(value))
		if string(got.Args) != want {
			t.Errorf("depth %d: %.99s, want %.99s", depth, got.Args, want)
		}
	}
}
