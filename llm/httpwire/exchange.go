package httpwire

import (
	"context"
	"io"
	"net/http"
	"sync"
	"time"
)

// Exchange is a request and its answer as they went over the wire, keys and all: it
// is for whoever takes those out before it is shown to anybody.
type Exchange struct {
	Method, URL string
	Header      http.Header
	Body        []byte // the first MaxExchange bytes
	Began       time.Time

	Status int // 0 if there was no answer
	Answer http.Header
	Text   []byte // of what was read of the answer, the first MaxExchange bytes
	Took   time.Duration
	Err    error // why there was no answer
}

// MaxExchange is how many bytes of a body an [Exchange] has.
const MaxExchange = 256 << 10

type watched struct{}

// Watch returns a context under which each request is shown to see when it is over.
// It is called on the goroutine that ends it.
func Watch(ctx context.Context, see func(*Exchange)) context.Context {
	return context.WithValue(ctx, watched{}, see)
}

// exchange is one that goes on; nil where nobody watches.
type exchange struct {
	Exchange
	see  func(*Exchange)
	body io.Reader
	io.Closer
	once sync.Once
}

func look(ctx context.Context, r *Request, req *http.Request) *exchange {
	see, ok := ctx.Value(watched{}).(func(*Exchange))
	if !ok {
		return nil
	}
	x := &exchange{see: see, Exchange: Exchange{Method: req.Method, URL: r.URL.String(), Header: r.Header, Began: time.Now()}}
	if r.Body != nil {
		x.Body, _ = io.ReadAll(io.LimitReader(r.Body.Reader(), MaxExchange)) // it is in memory
	}
	return x
}

// failed ends an exchange that had no answer.
func (x *exchange) failed(err error) {
	if x != nil {
		x.Err = err
		x.end()
	}
}

// answered looks on while an answer is read.
func (x *exchange) answered(answer *http.Response, res *Response) {
	if x == nil {
		return
	}
	x.Status, x.Answer = answer.StatusCode, answer.Header
	x.body, x.Closer = res.Body, res.closer
	res.Body, res.closer = x, x
}

func (x *exchange) Read(p []byte) (int, error) {
	n, err := x.body.Read(p)
	x.Text = append(x.Text, p[:min(n, MaxExchange-len(x.Text))]...)
	return n, err
}

func (x *exchange) Close() error {
	defer x.end()
	return x.Closer.Close()
}

func (x *exchange) end() {
	x.once.Do(func() {
		x.Took = time.Since(x.Began)
		x.see(&x.Exchange)
	})
}
