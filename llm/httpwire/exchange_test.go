package httpwire_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"pollux/llm/httpwire"
)

func TestWatch(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", httpwire.MaxExchange+10)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked, _ := io.ReadAll(r.Body)
		w.WriteHeader(http.StatusTeapot)
		_, _ = io.WriteString(w, "you said "+string(asked)+long)
	}))
	defer server.Close()
	at, _ := url.Parse(server.URL + "/v1")
	body := httpwire.NewBody(2)
	body.Text("hello ")
	body.Text("there")

	var seen []*httpwire.Exchange
	ctx := httpwire.Watch(t.Context(), func(x *httpwire.Exchange) { seen = append(seen, x) })
	client := httpwire.NewClient(httpwire.Options{})
	res, err := client.Post(ctx, httpwire.Request{URL: at, Header: http.Header{"X-A": {"b"}}, Body: body, HeaderTimeout: httpwire.HeaderTimeout})
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(res.Body)
	if err != nil || string(got) != "you said hello there"+long {
		t.Errorf("read %d bytes, %v", len(got), err)
	}
	if len(seen) != 0 {
		t.Error("an exchange was shown before it was over")
	}
	res.Close()
	res.Close()
	if len(seen) != 1 {
		t.Fatalf("%d exchanges were shown", len(seen))
	}
	x := seen[0]
	if x.Method != "POST" || x.URL != at.String() || x.Header.Get("X-A") != "b" || string(x.Body) != "hello there" ||
		x.Status != http.StatusTeapot || !strings.HasPrefix(string(x.ResponseBody), "you said hello there") || len(x.ResponseBody) != httpwire.MaxExchange {
		t.Errorf("%s %s %v %q: %d, %d bytes", x.Method, x.URL, x.Header, x.Body, x.Status, len(x.ResponseBody))
	}

	server.Close()
	if _, err := client.Get(ctx, httpwire.Request{URL: at, HeaderTimeout: httpwire.HeaderTimeout}); err == nil {
		t.Fatal("a closed server answered")
	}
	if len(seen) != 2 || seen[1].Err == nil || seen[1].Status != 0 {
		t.Errorf("a failed exchange is %+v", seen[len(seen)-1])
	}
}
