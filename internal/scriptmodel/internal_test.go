package scriptmodel

import (
	"encoding/json"
	"testing"
	"time"
)

// TestRate checks the times between chunks: the rate is one on average, so that a late chunk is followed by others at once.
func TestRate(t *testing.T) {
	t.Parallel()
	script, err := Parse("turn\n rate 10")
	if err != nil {
		t.Fatal(err)
	}
	a := &answer{turn: &script.Turns[0]}
	if d := a.untilNext(); d <= 0 || d > time.Second/10 {
		t.Errorf("the second chunk comes after %v", d)
	}
	a.began = a.began.Add(time.Hour)
	if d := a.untilNext(); d <= time.Hour {
		t.Errorf("the third chunk comes %v after the first", d)
	}
	a.began = a.began.Add(-2 * time.Hour)
	if d := a.untilNext(); d > 0 {
		t.Errorf("a chunk that is late waits %v", d)
	}
	if d := (&answer{turn: &Turn{}}).untilNext(); d != 0 {
		t.Errorf("without a rate, chunks wait %v", d)
	}
	if _, err := Parse("turn\n rate 0"); err == nil {
		t.Error("a rate of 0 chunks is accepted")
	}
}

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
