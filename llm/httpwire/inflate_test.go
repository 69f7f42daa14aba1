package httpwire

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"testing"
	"testing/iotest"
	"time"
)

// TestInflate checks that a stream that is compressed without being asked for is read event by event.
func TestInflate(t *testing.T) {
	t.Parallel()
	for _, isNamed := range []bool{true, false} {
		hasRead := make(chan struct{})
		res, err := post(t, Options{}, time.Minute, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			if isNamed {
				w.Header().Set("Content-Encoding", "gzip")
			}
			zip := gzip.NewWriter(w)
			for _, event := range []string{"data: 1\n\n", "data: 2\n\n"} {
				_, _ = io.WriteString(zip, event)
				_ = zip.Flush()
				w.(http.Flusher).Flush()
				<-hasRead
			}
			_ = zip.Close()
		})
		if err != nil {
			t.Fatal(err)
		}
		defer res.Close()
		var got string
		for event, err := range res.Events() {
			if err != nil {
				t.Fatal(err)
			}
			got += string(event.Data)
			hasRead <- struct{}{}
		}
		if got != "12" {
			t.Errorf("got %q", got)
		}
	}
}

// TestInflater checks bodies of each kind, whole and damaged.
func TestInflater(t *testing.T) {
	t.Parallel()
	var zipped bytes.Buffer
	zip := gzip.NewWriter(&zipped)
	_, _ = io.WriteString(zip, `{"a":1}`)
	_ = zip.Close()
	for body, want := range map[string]string{
		"": "", "x": "x", `{"a":1}`: `{"a":1}`, zipped.String(): `{"a":1}`,
		zipped.String()[:zipped.Len()-3]: "failed", zipped.String()[:3]: "failed", "\x1f": "failed", "\x1fabcdefghijklmn": "failed",
	} {
		for name, wrap := range map[string]func(io.Reader) io.Reader{
			"whole": func(r io.Reader) io.Reader { return r }, "bytes": iotest.OneByteReader, "with the error": iotest.DataErrReader,
		} {
			data, err := io.ReadAll(&inflater{body: wrap(bytes.NewReader([]byte(body)))})
			if want == "failed" && err == nil || want != "failed" && (err != nil || string(data) != want) {
				t.Errorf("%q, %s: %q %v", body, name, data, err)
			}
		}
	}
}
