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

// service is a place that serves the protocol, each with its own wrapping around
// the same messages.
type service interface {
	// form is how a body says what, in other places, address and header say.
	form() form
	// aim sets the address of a request and proves in its header who asks. The
	// header is complete but for that.
	aim(ctx context.Context, r *httpwire.Request, m method, model string) error
	// events yields the events of a streamed answer.
	events(ctx context.Context, r *httpwire.Response) iter.Seq2[httpwire.Event, error]
}

// method is what is asked of a service.
type method int

const (
	toStream method = iota
	toAnswer
	toCount
)

// form is what the body of a request holds. The zero value is the vendor's own.
type form struct {
	// version is the body's anthropic_version; "" where the header has it.
	version string
	// addressed says that the address names the model; quiet, that it says also
	// whether the answer is streamed, and that the betas are in the body.
	addressed, quiet bool
	// name returns the model's name as the service has it.
	name func(model string) string
}

// model returns a model's name as the service has it.
func (f *form) model(name string) string {
	if f.name == nil {
		return plainName(name)
	}
	return f.name(name)
}

// direct is the vendor's own service, and those that are reached in the same way.
type direct struct{ base *url.URL }

func (d *direct) form() form { return form{} }

func (d *direct) aim(_ context.Context, r *httpwire.Request, m method, _ string) error {
	if m == toCount {
		r.URL = d.at("messages", "count_tokens")
	} else {
		r.URL = d.at("messages")
	}
	return nil
}

// at returns the address of a path of the protocol.
func (d *direct) at(path ...string) *url.URL { return d.base.JoinPath(path...) }

func (d *direct) events(_ context.Context, r *httpwire.Response) iter.Seq2[httpwire.Event, error] {
	return r.Events()
}

// newDirect takes an address with "/v1" behind it or without, and one of the
// messages themselves.
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

// parseBase returns an address without what a service adds to it.
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

// inPath returns base with a path behind it, whose elements may hold slashes.
func inPath(base *url.URL, elements ...string) *url.URL {
	u := *base
	u.RawPath = base.EscapedPath()
	for _, e := range elements {
		u.Path += "/" + e
		// As Amazon has it, for whom a colon is no colon.
		u.RawPath += "/" + strings.ReplaceAll(url.PathEscape(e), ":", "%3A")
	}
	return &u
}

// checkName refuses what leads elsewhere in the paths of a service that has the
// model in them.
func checkName(model string) error {
	odd := strings.ContainsFunc(model, func(r rune) bool { return r <= ' ' || r == 0x7f })
	if odd || model == "" || model == "." || model == ".." {
		return &llm.Error{Kind: llm.KindBadRequest, Message: fmt.Sprintf("%q is not the name of a model", model)}
	}
	return nil
}

// plainName is how the vendor itself names a model: "@" before the date of a
// Claude is Google's way.
func plainName(model string) string {
	if name, date, ok := strings.Cut(model, "@"); ok && isDate(date) && strings.HasPrefix(name, "claude-") {
		return name + "-" + date
	}
	return model
}

func isDate(s string) bool {
	return len(s) == len("20250929") && !strings.ContainsFunc(s, func(r rune) bool { return r < '0' || r > '9' })
}

// list splits comma lists, each member once.
func list(values []string) []string {
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
