package httpwire

import (
	"bytes"
	"compress/gzip"
	"io"
)

// inflater reads a body. Some proxies compress with gzip whatever the request allows, and not all of them say so in a header: the
// first byte tells, as no JSON and no stream of events begins with it.
type inflater struct {
	body  io.Reader
	begun bool
}

const gzipMark = 0x1f

func (f *inflater) Read(p []byte) (int, error) {
	if f.begun {
		return f.body.Read(p)
	}
	n, err := f.body.Read(p)
	if n == 0 {
		return n, err
	}
	f.begun = true
	if p[0] != gzipMark {
		return n, err
	}
	// An error of the first read comes again with the next one.
	zip, err := gzip.NewReader(io.MultiReader(bytes.NewReader(bytes.Clone(p[:n])), f.body))
	if err != nil {
		return 0, err
	}
	f.body = zip
	return zip.Read(p)
}
