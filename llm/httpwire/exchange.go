package httpwire

import (
	"context"
	"io"
	"net/http"
	"sync"
	"time"
)

// Exchange is a request and its response as sent over the network, including
// API keys. Remove these before showing an Exchange to a user or writing it to
// a file.
type Exchange struct {
	Method, URL string
	Header      http.Header
	Body        []byte // the first MaxExchange bytes
	Start       time.Time

	Status         int // 0 if there was no response
	ResponseHeader http.Header
	ResponseBody   []byte // the part of the response body that was read, at most MaxExchange bytes
	Duration       time.Duration
	Err            error // set if there was no response
}

// MaxExchange is the largest number of bytes of a body in an [Exchange].
const MaxExchange = 256 << 10

type observerKey struct{}

// Watch returns a context that makes a [Client] call observe after each
// request, on the goroutine that closes the response.
func Watch(ctx context.Context, observe func(*Exchange)) context.Context {
	return context.WithValue(ctx, observerKey{}, observe)
}

// exchange is an exchange in progress. It is nil if there is no observer.
type exchange struct {
	Exchange
	observe func(*Exchange)
	body    io.Reader
	io.Closer
	once sync.Once
}

func startExchange(ctx context.Context, r *Request, req *http.Request) *exchange {
	observe, ok := ctx.Value(observerKey{}).(func(*Exchange))
	if !ok {
		return nil
	}
	x := &exchange{observe: observe, Exchange: Exchange{Method: req.Method, URL: r.URL.String(), Header: r.Header, Start: time.Now()}}
	if r.Body != nil {
		x.Body, _ = io.ReadAll(io.LimitReader(r.Body.Reader(), MaxExchange)) // reading from memory does not fail
	}
	return x
}

// fail ends an exchange that has no response.
func (x *exchange) fail(err error) {
	if x != nil {
		x.Err = err
		x.finish()
	}
}

// attach records the response while it is read.
func (x *exchange) attach(answer *http.Response, res *Response) {
	if x == nil {
		return
	}
	x.Status, x.ResponseHeader = answer.StatusCode, answer.Header
	x.body, x.Closer = res.Body, res.closer
	res.Body, res.closer = x, x
}

func (x *exchange) Read(p []byte) (int, error) {
	n, err := x.body.Read(p)
	x.ResponseBody = append(x.ResponseBody, p[:min(n, MaxExchange-len(x.ResponseBody))]...)
	return n, err
}

func (x *exchange) Close() error {
	defer x.finish()
	return x.Closer.Close()
}

func (x *exchange) finish() {
	x.once.Do(func() {
		x.Duration = time.Since(x.Start)
		x.observe(&x.Exchange)
	})
}
