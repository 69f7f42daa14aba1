package scriptmodel

import (
	"encoding/json"
	"testing"
)

// TestRequestsAreBounded checks that a server drops the oldest bodies to limit memory.
func TestRequestsAreBounded(t *testing.T) {
	t.Parallel()
	s := &Server{}
	const size = maxStoredBytes / 4
	for range 10 {
		s.record(Request{Body: make([]byte, size)})
	}
	kept := 0
	all := s.Requests()
	for _, r := range all {
		kept += len(r.Body)
	}
	if len(all) != 10 || kept > maxStoredBytes || all[0].Body != nil || all[9].Body == nil {
		t.Errorf("%d requests, %d bytes", len(all), kept)
	}
}

// FuzzParse checks that every valid script can be served, and that every request gets a
// response.
func FuzzParse(f *testing.F) {
	f.Add("turn\n text a\n call f {\"a\": {{x}}}\n fail 429 X y\n detail {}")
	f.Add("key none\nframing cr\nturn\ntimes always\nexpect not tool a b\nframe {\nraw64 /w==\nfinish none")
	f.Fuzz(func(t *testing.T, text string) {
		script, err := Parse(text)
		if err != nil {
			return
		}
		for i := range script.Turns {
			for _, s := range script.Turns[i].Steps {
				if c, ok := s.(Call); ok {
					plain := placeholders().ReplaceAllString(c.Args, "0")
					if !json.Valid([]byte(plain)) || c.Name == "" {
						t.Errorf("call %q with %q", c.Name, c.Args)
					}
				}
			}
		}
	})
}
