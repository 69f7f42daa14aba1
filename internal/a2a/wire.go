package a2a

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"pollux/internal/oauth"
)

const (
	// maxRenewals is the number of times that a refused request is sent again with other credentials.
	maxRenewals = 2
	// maxRedirects is the number of redirects that the request for a card follows.
	maxRedirects = 3
	// maxError is how much of the body of an error is read, in bytes.
	maxError = 16 << 10
)

// wire makes requests, and adds a credential to those that go to one server.
type wire struct {
	transport  func() (http.RoundTripper, error)
	home       string     // the origin of the server
	credential credential // nil for none
	person     oauth.Person
}

// send sends a request, which is signed if it goes home. It does not follow redirects, and returns a
// [statusError] for every status that is not one of success.
func (w *wire) send(req *http.Request) (*http.Response, error) {
	if w.credential == nil || oauth.Origin(req.URL) != w.home {
		return w.once(req, nil)
	}
	ctx := req.Context()
	for renewals := 0; ; renewals++ {
		signed := http.Header{}
		if err := w.credential.sign(ctx, signed, w.person); err != nil {
			return nil, err
		}
		resp, err := w.once(req, signed)
		e, ok := errors.AsType[*statusError](err)
		if !ok || !isRefusal(e.status) || renewals == maxRenewals {
			return resp, err
		}
		renewed, failure := w.credential.renew(ctx, signed, e.header, w.person)
		if failure != nil {
			return nil, failure
		}
		if !renewed {
			return nil, err
		}
	}
}

// once sends a request with a further header.
func (w *wire) once(req *http.Request, signed http.Header) (*http.Response, error) {
	transport, err := w.transport()
	if err != nil {
		return nil, err
	}
	one := req.Clone(req.Context())
	for name, values := range signed {
		one.Header[name] = values
	}
	if req.GetBody != nil {
		if one.Body, err = req.GetBody(); err != nil {
			return nil, err
		}
	}
	one.Close = true // such requests are rare: leave no connection behind
	client := &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(one)
	if err != nil {
		return nil, networkError(req.Context(), req.URL.Host, err)
	}
	if resp.StatusCode >= 200 && resp.StatusCode < 300 {
		return resp, nil
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(io.LimitReader(resp.Body, maxError)) // the complete part
	code, text := reported(body)
	return nil, &statusError{resp.StatusCode, req.URL, resp.Header, code, conceal(text, signed)}
}

// reported returns the error that a server has sent as JSON: of JSON-RPC, or of REST in one of its forms.
func reported(body []byte) (code int, text string) {
	type report struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	}
	var outer report
	var within struct {
		Error json.RawMessage `json:"error"`
	}
	var inner report
	_ = json.Unmarshal(body, &outer) // other forms stay empty
	_ = json.Unmarshal(body, &within)
	_ = json.Unmarshal(within.Error, &inner)
	_ = json.Unmarshal(within.Error, &text)
	return cmp.Or(inner.Code, outer.Code), clean(cmp.Or(inner.Message, outer.Message, text))
}

// conceal removes credentials, which a server may repeat, from a text.
func conceal(text string, signed http.Header) string {
	const shortest = 4
	for _, values := range signed {
		for _, value := range values {
			_, secret, _ := strings.Cut(value, " ")
			parts := []string{value, secret}
			if plain, err := base64.StdEncoding.DecodeString(secret); err == nil {
				_, password, _ := strings.Cut(string(plain), ":")
				parts = append(parts, string(plain), password)
			}
			for _, part := range parts {
				if len(part) >= shortest {
					text = strings.ReplaceAll(text, part, "***")
				}
			}
		}
	}
	return text
}

// get sends a GET request and follows redirects to servers that may be asked. Only requests that go home are
// signed.
func (w *wire) get(req *http.Request) (*http.Response, error) {
	for range maxRedirects + 1 {
		resp, err := w.send(req)
		e, ok := errors.AsType[*statusError](err)
		if !ok || e.status < 300 || e.status >= 400 || e.header.Get("Location") == "" {
			return resp, err
		}
		to, err := req.URL.Parse(e.header.Get("Location"))
		if err == nil {
			to, err = parseAddress(to.String())
		}
		if err == nil {
			err = checkStep(req.URL, to)
		}
		if err != nil {
			return nil, fmt.Errorf("the redirect is not followed: %w", err)
		}
		next := req.Clone(req.Context())
		next.URL, next.Host = to, ""
		req = next
	}
	return nil, errors.New("it redirects too often")
}

// bounded is a body that fails after a number of bytes.
type bounded struct {
	io.ReadCloser
	left int64
	err  error // of reading more
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, b.err
	}
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}
