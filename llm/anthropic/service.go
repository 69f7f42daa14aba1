package anthropic

import (
	"context"
	"fmt"
	"iter"
	"net/url"
	"slices"
	"strings"

	"pollux/llm"
	"pollux/llm/httpwire"
)

// service is an endpoint of the protocol. Services differ in URLs, authentication and
// framing.
type service interface {
	// bodyForm returns how bodies for this service differ from those for Anthropic.
	bodyForm() bodyForm
	// prepareRequest sets the URL of a request and authenticates it. The header is
	// otherwise complete.
	prepareRequest(ctx context.Context, r *httpwire.Request, m method, model string) error
	// events yields the events of a streamed answer.
	events(ctx context.Context, r *httpwire.Response) iter.Seq2[httpwire.Event, error]
}

// method is an operation of a service.
type method int

const (
	methodStream method = iota
	methodGenerate
	methodCount
)

// bodyForm describes the body of a request. The zero value is that of Anthropic.
type bodyForm struct {
	// version is the body's anthropic_version, "" if the version is in the header.
	version string
	// modelInURL means that the URL contains the model. streamInURL means that the
	// URL also contains whether to stream, and that betas are in the body.
	modelInURL, streamInURL bool
	// name returns the name of a model on the service.
	name func(model string) string
}

func (f *bodyForm) model(name string) string {
	if f.name == nil {
		return anthropicName(name)
	}
	return f.name(name)
}

// direct is Anthropic's own service, and services of other vendors with the same
// URLs.
type direct struct{ base *url.URL }

func (d *direct) bodyForm() bodyForm { return bodyForm{} }

func (d *direct) prepareRequest(_ context.Context, r *httpwire.Request, m method, _ string) error {
	if m == methodCount {
		r.URL = d.endpoint("messages", "count_tokens")
	} else {
		r.URL = d.endpoint("messages")
	}
	return nil
}

// endpoint returns the URL of a path of the protocol.
func (d *direct) endpoint(path ...string) *url.URL { return d.base.JoinPath(path...) }

func (d *direct) events(_ context.Context, r *httpwire.Response) iter.Seq2[httpwire.Event, error] {
	return r.Events()
}

// newDirect returns the service at address, which may end in "/v1" or "/v1/messages".
func newDirect(address string) (*direct, error) {
	u, err := parseBase(address, "https://api.anthropic.com")
	if err != nil {
		return nil, err
	}
	u.Path = strings.TrimRight(strings.TrimSuffix(u.Path, "/messages"), "/")
	if !strings.HasSuffix(u.Path, "/v1") {
		u.Path += "/v1"
	}
	return &direct{u}, nil
}

// parseBase parses a base URL, or otherwise if it is blank.
func parseBase(address, otherwise string) (*url.URL, error) {
	if strings.TrimSpace(address) == "" {
		address = otherwise
	}
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		//lint:ignore ST1005 the text is a contract
		return nil, fmt.Errorf("Invalid custom base URL: %s", address)
	}
	u.Path, u.RawPath, u.Fragment = strings.TrimRight(u.Path, "/"), "", ""
	return u, nil
}

// withPath returns base with path elements appended, which may contain slashes.
func withPath(base *url.URL, elements ...string) *url.URL {
	u := *base
	u.RawPath = base.EscapedPath()
	for _, e := range elements {
		u.Path += "/" + e
		// AWS requires that colons are escaped.
		u.RawPath += "/" + strings.ReplaceAll(url.PathEscape(e), ":", "%3A")
	}
	return &u
}

// validateModelName returns an error for a name that would change the path of a URL.
func validateModelName(model string) error {
	odd := strings.ContainsFunc(model, func(r rune) bool { return r <= ' ' || r == 0x7f })
	if odd || model == "" || model == "." || model == ".." {
		return &llm.Error{Kind: llm.KindBadRequest, Message: fmt.Sprintf("%q is not the name of a model", model)}
	}
	return nil
}

// anthropicName returns the name of a model on Anthropic's own service. Google's
// service writes "@" before the date of a Claude model.
func anthropicName(model string) string {
	if name, date, ok := strings.Cut(model, "@"); ok && isDate(date) && strings.HasPrefix(name, "claude-") {
		return name + "-" + date
	}
	return model
}

// isDate reports whether s has the form of the date in a model's name, such as
// 20250929.
func isDate(s string) bool {
	return len(s) == len("20250929") && !strings.ContainsFunc(s, func(r rune) bool { return r < '0' || r > '9' })
}

// splitLists splits comma-separated lists and removes duplicates.
func splitLists(values []string) []string {
	var all []string
	for _, v := range values {
		for one := range strings.SplitSeq(v, ",") {
			if one = strings.TrimSpace(one); one != "" && !slices.Contains(all, one) {
				all = append(all, one)
			}
		}
	}
	return all
}
