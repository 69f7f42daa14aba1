package keychain

import (
	"slices"
	"testing"
)

func TestSecurity(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		"keychain: \"/k\"\npassword: \"abc\"\n":         "abc",
		"password: \"{\"a\": \"b\"}\"\n":                `{"a": "b"}`,
		"password: 0xC3A4220A  \"\\303\\244\"\\012\"\n": "\u00e4\"\n",
		"password: \"\"":                                "",
	} {
		if got, err := passwordIn([]byte(said)); got != want || err != nil {
			t.Errorf("%q is %q, %v", said, got, err)
		}
	}
	for _, said := range []string{"", "password: ", "password: 0xZZ", "password: \"", "nothing"} {
		if got, err := passwordIn([]byte(said)); err == nil {
			t.Errorf("%q is %q", said, got)
		}
	}
	const dump = `keychain: "/Users/me/Library/Keychains/login.keychain-db"
version: 512
class: "genp"
attributes:
    0x00000007 <blob>="pollux-api-key/openai"
    "acct"<blob>="openai"
    "svce"<blob>="pollux-api-key"
keychain: "/Users/me/Library/Keychains/login.keychain-db"
class: "genp"
attributes:
    "acct"<blob>=0x6D69C3A4  "mi\303\244"
    "svce"<blob>="pollux-api-key"
keychain: "/Users/me/Library/Keychains/login.keychain-db"
class: "inet"
attributes:
    "acct"<blob>="someone"
    "srvr"<blob>="example.com"
keychain: "/x"
    "acct"<blob>=<NULL>
    "svce"<blob>="pollux-api-key"
`
	if got := accountsIn([]byte(dump), "pollux-api-key"); !slices.Equal(got, []string{"openai", "mi\u00e4"}) {
		t.Errorf("%q", got)
	}
	if got, want := quote(`a "b" \c`), `"a \"b\" \\c"`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func FuzzSecurity(f *testing.F) {
	f.Add([]byte("password: 0x61  \"a\"\n\"svce\"<blob>=\"s\"\n\"acct\"<blob>=0x\n"))
	f.Fuzz(func(_ *testing.T, said []byte) {
		_, _ = passwordIn(said)
		_ = accountsIn(said, "s")
	})
}
