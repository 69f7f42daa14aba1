package mcp

import (
	"slices"
	"testing"

	"pollux/tool"
)

// TestParseForeign checks entries as other clients write them.
func TestParseForeign(t *testing.T) {
	t.Parallel()
	for entry, want := range map[string]Config{
		`{"serverUrl": "https://x/mcp"}`:                                                         {URL: "https://x/mcp"},
		`{"serverUrl": "https://x/sse", "type": "sse", "command": "c"}`:                          {URL: "https://x/sse", Type: "sse", Command: "c"},
		`{"serverUrl": "https://x", "url": "https://y"}`:                                         {URL: "https://y"},
		`{"command": "c", "disabled": true}`:                                                     {Command: "c", Disabled: true},
		`{"command": "c", "disabledTools": ["a"], "excludeTools": ["b"], "includeTools": ["a"]}`: {Command: "c", Include: []string{"a"}, Exclude: []string{"b", "a"}},
		`{"command": "c", "disabledTools": "a", "disabled": "TRUE"}`:                             {Command: "c", Exclude: []string{"a"}, Disabled: true},
	} {
		c, err := Parse("s", []byte(entry))
		if err != nil || c.Kind() != want.Kind() || c.Endpoint() != want.Endpoint() || c.Disabled != want.Disabled ||
			!slices.Equal(c.Exclude, want.Exclude) || c.uses("a") != (want.Exclude == nil) {
			t.Errorf("%s: %+v, %v", entry, c, err)
		}
	}
	for entry, want := range map[string]string{
		`{"command": "c", "disabled": "yes"}`:  "disabled must be true or false",
		`{"serverUrl": 5}`:                     "serverUrl must be a string",
		`{"command": "c", "disabledTools": 5}`: "disabledTools must be a list of strings",
		`{"disabled": true}`:                   ErrNoTransport.Error(),
	} {
		if _, err := Parse("s", []byte(entry)); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", entry, err, want)
		}
	}
}

// TestDisabledEntry checks that a server with disabled: true is not started until a person enables it.
func TestDisabledEntry(t *testing.T) {
	t.Parallel()
	s := New(Options{Configs: []Config{{Name: "s", Command: "no-such-program", Disabled: true}}, Registry: tool.NewRegistry()})
	t.Cleanup(s.Close)
	s.Start()
	if st := s.Status()[0]; st.State != Disabled || st.Err != nil {
		t.Errorf("%+v", st)
	}
}
