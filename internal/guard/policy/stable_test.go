package policy

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"strings"
	"testing"
)

func TestStable(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		``:                                ``,
		`nonsense`:                        ``,
		`{}`:                              `{}`,
		` { } `:                           `{}`,
		`{"dir_path":".","command":"ls"}`: "{\x00\"command\":\"ls\"\x00,\x00\"dir_path\":\".\"\x00}",
		`{"a":{"c":1,"b":[true,null,{"z":0,"y":-0.0}]}}`:                          "{\x00\"a\":{\"b\":[true,null,{\"y\":0,\"z\":0}],\"c\":1}\x00}",
		`{"a":1.0,"b":1e21,"c":1e-7,"d":123456789012345678,"e":1e999,"f":100e-2}`: "{\x00\"a\":1\x00,\x00\"b\":1e+21\x00,\x00\"c\":1e-7\x00,\x00\"d\":123456789012345680\x00,\x00\"e\":null\x00,\x00\"f\":1\x00}",
		`{"a":"\u003c\u2028\u0000\u001f\/\t\u00e9\u007f"}`:                        "{\x00\"a\":\"<\u2028\\u0000\\u001f/\\t\u00e9\x7f\"\x00}",
		`{"a":"\ud83d\ude00 \ud83d x \ude00"}`:                                    "{\x00\"a\":\"\U0001F600 \\ud83d x \\ude00\"\x00}",
		`{"a":1,"a":2}`:                                                           "{\x00\"a\":2\x00}",
		"{\"\uffee\":1,\"\U0001F600\":2}":                                         "{\x00\"\U0001F600\":2\x00,\x00\"\uffee\":1\x00}", // by UTF-16 unit
		`[{"a":1}]`:                                                               `[{"a":1}]`,
		"{\"a\":\"\xff\"}":                                                        "{\x00\"a\":\"\ufffd\"\x00}",
	} {
		if got := stable(json.RawMessage(in)); got != want {
			t.Errorf("stable(%s) = %q, want %q", in, got, want)
		}
	}
	deep := strings.Repeat(`{"a":`, 9000) + `"` + strings.Repeat("x", 1<<20) + `"` + strings.Repeat("}", 9000)
	if got := stable(json.RawMessage(deep)); len(got) != len(deep)+2 {
		t.Errorf("deep: %d bytes", len(got))
	}
}

// JSON.stringify is the judge.
func TestStableAgainstNode(t *testing.T) {
	t.Parallel()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("NOT TESTED: node is not installed")
	}
	in := `["\ud800","\udc00\ud800","\u2028","</script>","\u007f\u0080",1e300,0.1,1e-6,1e-7,-0,1e20,1e21,5e-324,123456789.123,"\b\f\n\r\t\"\\\/"]`
	cmd := exec.Command(node, "-e", `process.stdout.write(JSON.stringify(JSON.parse(require("fs").readFileSync(0,"utf8"))))`)
	cmd.Stdin = strings.NewReader(in)
	want, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	if got := stable(json.RawMessage(in)); got != string(want) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func FuzzStable(f *testing.F) {
	for _, s := range []string{`{"b":1,"a":[{"y":"\ud800"},-0]}`, `"x"`, `{"a":1,"a":2}`, `{"\u0000":"\u0000"}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		out := stable(in)
		if (out == "") != (!json.Valid(in) || len(bytes.Trim(in, " \t\r\n")) == 0) {
			t.Fatalf("stable(%q) = %q", in, out)
		}
		if out == "" {
			return
		}
		// Apart from the NULs it is JSON, and stable itself.
		plain := strings.ReplaceAll(out, "\x00", "")
		if !json.Valid([]byte(plain)) {
			t.Fatalf("stable(%q) = %q is no JSON", in, out)
		}
		if again := stable(json.RawMessage(plain)); again != out {
			t.Fatalf("stable(%q) = %q, then %q", in, out, again)
		}
	})
}

func TestPattern(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"(", "(a+)+", strings.Repeat("a", 2049), `(a*b)*`} {
		if _, err := NewPattern(bad); err == nil {
			t.Errorf("NewPattern(%.20q) gave no error", bad)
		}
	}
	for _, good := range []string{`(?<!x)a(?=b)\1?`, `"path":"[^"]*\.go"`} {
		if _, err := NewPattern(good); err != nil {
			t.Errorf("NewPattern(%q): %v", good, err)
		}
	}
	// As saved by Gemini CLI.
	p, err := NewPattern(`\\0"file_path":"a"\\0`)
	if err != nil {
		t.Fatal(err)
	}
	if found, err := p.found(stable(json.RawMessage(`{"file_path":"a"}`))); !found || err != nil {
		t.Errorf("found = %v, %v", found, err)
	}
	// A pinned value can be saved as an expression.
	lit := exactArg("file_path", `a (b) "c" \d`+"\x01")
	again, err := NewPattern(lit.String())
	if err != nil {
		t.Fatal(err)
	}
	args, _ := json.Marshal(map[string]string{"file_path": `a (b) "c" \d` + "\x01"})
	if found, err := again.found(stable(args)); !found || err != nil {
		t.Errorf("%s: found = %v, %v", lit, found, err)
	}
}
