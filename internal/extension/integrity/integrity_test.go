package integrity

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pollux/internal/keychain"
)

func newStore(t *testing.T) *Store {
	t.Helper()
	dir := t.TempDir()
	return New(dir, keychain.Open(keychain.Options{File: filepath.Join(dir, "gemini-credentials.json"), FileOnly: true}))
}

const record = `{"source": "https://github.com/o/r", "type": "github-release", "releaseTag": "v1"}`

func TestSignAndVerify(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	verify := func(name, record string, want State) {
		t.Helper()
		got, err := s.Verify(t.Context(), name, []byte(record))
		if err != nil || got != want {
			t.Errorf("Verify(%s, %s) = %v, %v, want %v", name, record, got, err, want)
		}
	}
	verify("a", record, Missing)
	if err := s.Sign(t.Context(), "a", []byte(record)); err != nil {
		t.Fatal(err)
	}
	if err := s.Sign(t.Context(), "b", []byte(`{}`)); err != nil {
		t.Fatal(err)
	}
	verify("a", record, Verified)
	verify("a", `{"type":"github-release","releaseTag":"v1","source":"https://github.com/o/r"}`, Verified) // in another order
	verify("a", strings.Replace(record, "o/r", "evil/r", 1), Changed)
	verify("a", `{"broken`, Changed)
	verify("c", record, Missing)
	if err := s.Remove(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	verify("a", record, Missing)
	verify("b", `{}`, Verified)
	if info, err := os.Stat(s.File); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, error %v", info.Mode(), err)
	}
}

// A file in the form that Gemini CLI 0.61 writes, made with Node.js and this key.
func TestFileOfGeminiCLI(t *testing.T) {
	t.Parallel()
	const key = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
	s := newStore(t)
	if err := os.WriteFile(s.KeyFile, []byte(key+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const file = `{
  "store": {
    "x": {
      "hash": "87d220301818f2935f6cf8c95bee88eaf68b5035d7ce192fa49a5223f5d5d0ce",
      "signature": "b1c793a9c6ecea64525a85011db925e6b3e14d1031b1caf0fa3275fea30f6fcb"
    }
  },
  "signature": "ce7f07b5faed922dd38463638dfa9bf4e8268d55e069d63fb35a2cfed14be030"
}`
	if err := os.WriteFile(s.File, []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Verify(t.Context(), "x", []byte(record)); err != nil || got != Verified {
		t.Errorf("Verify = %v, %v", got, err)
	}
	if err := s.Sign(t.Context(), "y", []byte(`{}`)); err != nil { // with the same key
		t.Fatal(err)
	}
	if got, err := s.Verify(t.Context(), "x", []byte(record)); err != nil || got != Verified {
		t.Errorf("Verify after Sign = %v, %v", got, err)
	}
}

func TestFileOfSignaturesChanged(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(string) string{
		"record": func(s string) string { return strings.Replace(s, `"hash": "`, `"hash": "00`, 1) },
		"entry": func(s string) string {
			return strings.Replace(s, `"store": {`, `"store": {"b": {"hash":"","signature":""},`, 1)
		},
		"removed":   func(string) string { return `{"store":{},"signature":""}` },
		"no JSON":   func(string) string { return `x` },
		"null":      func(string) string { return `null` },
		"other":     func(string) string { return `[1]` },
		"empty":     func(string) string { return `` },
		"signature": func(s string) string { return s[:strings.LastIndex(s, `"signature"`)] + `"signature": "00"}` },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStore(t)
			if err := s.Sign(t.Context(), "a", []byte(record)); err != nil {
				t.Fatal(err)
			}
			data, err := os.ReadFile(s.File)
			if err != nil {
				t.Fatal(err)
			}
			changed := change(string(data))
			if err := os.WriteFile(s.File, []byte(changed), 0o600); err != nil {
				t.Fatal(err)
			}
			if got, err := s.Verify(t.Context(), "a", []byte(record)); err == nil || got == Verified || !strings.Contains(err.Error(), "delete it") {
				t.Errorf("Verify = %v, %v", got, err)
			}
			if err := s.Sign(t.Context(), "b", []byte(record)); err == nil {
				t.Error("Sign changes a file that it cannot verify")
			}
			if after, _ := os.ReadFile(s.File); string(after) != changed {
				t.Error("the file was changed")
			}
		})
	}
}

func TestCanonical(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`{"b":1,"a":{"d":[true,null],"c":"x"}}`: `{"a":{"c":"x","d":[true,null]},"b":1}`,
		`"<&>"`:                                 `"<&>"`,
		`"\u2028 \\u2028 \\\\"`:                 "\"\u2028 \\\\u2028 \\\\\\\\\"",
		`"\u0001\b\n\u007f"`:                    "\"\\u0001\\b\\n\u007f\"",
		`"é\ud83d\ude00"`:                       `"é😀"`,
	} {
		var v any
		if err := json.Unmarshal([]byte(in), &v); err != nil {
			t.Fatal(err)
		}
		if got, err := canonical(v); err != nil || got != want {
			t.Errorf("canonical(%s) = %s, %v, want %s", in, got, err, want)
		}
	}
}

// Whatever the file contains, it is either verified or refused on one line.
func FuzzFile(f *testing.F) {
	f.Add([]byte(`{"store":{"a":{"hash":"00","signature":"00"}},"signature":"00"}`))
	f.Add([]byte(`{"store":null,"signature":1}`))
	f.Add([]byte("{\"store\":{\"\x1b[31m\":{}}}"))
	dir := f.TempDir()
	s := New(dir, keychain.Open(keychain.Options{File: filepath.Join(dir, "none"), FileOnly: true}))
	if err := os.WriteFile(s.KeyFile, []byte("key"), 0o600); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		mine := *s
		mine.File = filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(mine.File, data, 0o600); err != nil {
			t.Fatal(err)
		}
		state, err := mine.Verify(t.Context(), "a", []byte(record))
		if err == nil && state == Verified || err != nil && strings.ContainsAny(err.Error(), "\n\x1b") {
			t.Errorf("Verify = %v, %v", state, err)
		}
	})
}
