package httpwire

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"go.uber.org/goleak"

	"pollux/llm"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m,
		// Idle connections of finished tests.
		goleak.IgnoreAnyFunction("net/http.(*persistConn).readLoop"),
		goleak.IgnoreAnyFunction("net/http.(*persistConn).writeLoop"))
}

func post(t *testing.T, o Options, headerTimeout time.Duration, answer http.HandlerFunc) (*Response, error) {
	t.Helper()
	s := httptest.NewServer(answer)
	t.Cleanup(s.Close)
	at, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	b := NewBody(3)
	b.Text(`{"a":`)
	b.Add([]byte("1"))
	b.Text(`}`)
	return NewClient(o).Post(t.Context(), Request{URL: at, Header: http.Header{"X-A": {"b"}}, Body: b, HeaderTimeout: headerTimeout})
}

func TestPost(t *testing.T) {
	t.Parallel()
	res, err := post(t, Options{}, time.Minute, func(w http.ResponseWriter, r *http.Request) {
		if data, err := io.ReadAll(r.Body); string(data) != `{"a":1}` || err != nil || r.ContentLength != 7 || r.Header.Get("X-A") != "b" {
			t.Errorf("got %s of %d, %v, %v", data, r.ContentLength, err, r.Header)
		}
		w.Header().Set("Location", "http://elsewhere.invalid")
		w.WriteHeader(http.StatusTemporaryRedirect)
		_, _ = io.WriteString(w, "there")
	})
	if err != nil {
		t.Fatal(err)
	}
	defer res.Close()
	data, err := res.ReadError()
	if res.Status != http.StatusTemporaryRedirect || string(data) != "there" || err != nil {
		t.Errorf("%d %s %v", res.Status, data, err)
	}
	if m := PlainMessage(res.Host, res.Status, res.Header, data); !strings.Contains(m, "elsewhere.invalid") {
		t.Error(m)
	}
}

// TestSilence checks that the client gives up on a server that never responds,
// and on one that stops inside a response.
func TestSilence(t *testing.T) {
	t.Parallel()
	check := func(err error) {
		t.Helper()
		var e *llm.Error
		if !errors.As(err, &e) || e.Kind != llm.KindNetwork || e.Code != "ETIMEDOUT" {
			t.Errorf("error %#v", err)
		}
	}
	gone := make(chan struct{}, 3)
	silent := func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
		gone <- struct{}{}
	}
	_, err := post(t, Options{}, 50*time.Millisecond, silent)
	check(err)
	_, err = post(t, Options{Timeouts: Timeouts{Start: 50 * time.Millisecond}}, time.Hour, silent)
	check(err)
	res, err := post(t, Options{Timeouts: Timeouts{Idle: 50 * time.Millisecond}}, time.Minute, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, "data: a\n\n")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		gone <- struct{}{}
	})
	if err != nil {
		t.Fatal(err)
	}
	defer res.Close()
	n := 0
	for event, e := range res.Events() {
		if err = e; e == nil && string(event.Data) == "a" {
			n++
		}
	}
	check(err)
	if n != 1 {
		t.Errorf("%d events", n)
	}
	for range 3 {
		<-gone
	}
}

// TestPageLater checks that a page in place of a response is worth another attempt
// if the service has sent a proper stream before.
func TestPageLater(t *testing.T) {
	t.Parallel()
	for name, proper := range map[string]struct {
		body string
		read func(*Response) error
	}{
		"events": {"data: 1\n\n", func(r *Response) (last error) {
			for event, err := range r.Events() {
				if last = err; event.Unframed {
					last = r.CheckJSON(event.Data)
				}
			}
			return last
		}},
		"lines": {"{}\n", func(r *Response) (last error) {
			for _, err := range r.Lines() {
				last = err
			}
			return last
		}},
	} {
		var body string // written between requests only
		c := NewClient(Options{})
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, body)
		}))
		defer s.Close()
		at, err := url.Parse(s.URL)
		if err != nil {
			t.Fatal(err)
		}
		for _, step := range []struct {
			body string
			kind llm.ErrorKind
		}{{"<html>", llm.KindOther}, {proper.body, 0}, {"<html>", llm.KindServer}, {"hello", llm.KindServer}} {
			body = step.body
			res, err := c.Get(t.Context(), Request{URL: at, Header: http.Header{}, HeaderTimeout: time.Minute})
			if err != nil {
				t.Fatal(err)
			}
			err = proper.read(res)
			res.Close()
			var e *llm.Error
			if step.body == proper.body && err != nil || step.body != proper.body && (!errors.As(err, &e) || e.Kind != step.kind) {
				t.Errorf("%s: %q: %#v", name, step.body, err)
			}
		}
	}
}

// TestEvents checks bodies that are not valid event streams.
func TestEvents(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]struct {
		kind    llm.ErrorKind
		message string
	}{
		"<html>Log in":          {llm.KindOther, "HTML page"},
		"hello there":           {llm.KindOther, "text/plain instead"},
		"hello there\n":         {llm.KindOther, "text/plain instead"},
		"data: 1\n\n<html>":     {llm.KindServer, "HTML page"},
		"data: 1\n\nhello hi\n": {llm.KindServer, "no field"},
		"[1,":                   {llm.KindIncomplete, "Incomplete JSON segment"},
		"data: 1\n\ndata: {":    {llm.KindIncomplete, "Incomplete JSON segment"},
		"data: 1\n\n{\"a\":1":   {llm.KindIncomplete, "Incomplete JSON segment"},
	} {
		r := &Response{Header: http.Header{"Content-Type": {"text/plain"}}, Body: iotest.OneByteReader(strings.NewReader(body))}
		var got error
		for event, err := range r.Events() {
			if got = err; event.Unframed {
				got = r.CheckJSON(event.Data)
			}
		}
		var e *llm.Error
		if !errors.As(got, &e) || e.Kind != want.kind || !strings.Contains(e.Message, want.message) {
			t.Errorf("%q: %v", body, got)
		}
	}
	if err := new(Response).CheckJSON([]byte(" {} ")); err != nil {
		t.Error(err)
	}
}

func TestBody(t *testing.T) {
	t.Parallel()
	b := NewBody(0)
	for _, s := range []string{"", "{", ",", "]}", "abc"} {
		b.Text(s)
	}
	if err := iotest.TestReader(b.Reader(), []byte("{,]}abc")); err != nil || b.Size() != 7 {
		t.Error(b.Size(), err)
	}
	kept := []byte("kept")
	if b.Add(kept); &b.pieces[len(b.pieces)-1][0] != &kept[0] {
		t.Error("a piece was copied")
	}
}

func TestObject(t *testing.T) {
	t.Parallel()
	o := Object{B: []byte("x:")}
	o.String("s", "")
	o.String("s", "\"")
	o.Strings("l", nil)
	o.Strings("l", []string{"a", "b"})
	o.Int("i", 0)
	o.Int("i", -3)
	o.Float("f", nil)
	o.Float("f", new(0.5))
	o.Raw("r", nil)
	o.Raw("r", []byte("[]"))
	if got := string(o.End()); got != `x:{"s":"\"","l":["a","b"],"i":-3,"f":0.5,"r":[]}` {
		t.Error(got)
	}
	if got := string(new(Object).End()); got != `{}` {
		t.Error(got)
	}
}

func TestAsObject(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"": `{}`, " \n": `{}`, `{"b":1, "a":2}`: `{"b":1, "a":2}`, " {} ": `{}`, "[1]": `{"k":[1]}`, "null": `{"k":null}`,
		` "s"`: `{"k":"s"}`, `{"a":`: `{"k":"{\"a\":"}`, "ls -l": `{"k":"ls -l"}`, "\xff": "{\"k\":\"\uFFFD\"}", `{}{}`: `{"k":"{}{}"}`,
	} {
		if got := string(AsObject([]byte(raw), "k")); got != want {
			t.Errorf("%q: %s, want %s", raw, got, want)
		}
	}
}

// FuzzAsObject checks that the result is an object by the rules of encoding/json, and the value itself if that is one.
func FuzzAsObject(f *testing.F) {
	for _, raw := range []string{`{"a":[1,2.5e+3,"\u00e9\n",null,true]}`, `{"a":"\ud800"}`, "{\"a\":\"\xff\"}", `{"a":1.}`, `{"a":01}`, "{\"a\":\"\x01\"}", `{"a":1,}`, `{"a":"\x"}`, `{} {}`, ``, `[1]`} {
		f.Add([]byte(raw))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		got := AsObject(raw, "k")
		if !json.Valid(got) || got[0] != '{' {
			t.Fatalf("%q: %q", raw, got)
		}
		if raw = bytes.TrimSpace(raw); json.Valid(raw) && raw[0] == '{' && !bytes.Equal(got, raw) {
			t.Fatalf("%q: %q", raw, got)
		}
	})
}
