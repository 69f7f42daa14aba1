package openai

import (
	"fmt"
	"net/url"
	"strings"
)

// endpoint builds addresses.
type endpoint struct {
	base *url.URL
	path string // escaped, ends in "/"
}

func newEndpoint(base string) (endpoint, error) {
	base = strings.TrimSpace(base)
	if base == "" {
		base = "https://api.openai.com/v1"
	}
	// The braces of {model} are no part of an address.
	u, err := url.Parse(strings.ReplaceAll(base, "{model}", modelMark))
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		//lint:ignore ST1005 the text is a contract
		return endpoint{}, fmt.Errorf("Invalid custom base URL: %s", base)
	}
	path := strings.TrimRight(u.EscapedPath(), "/")
	whole := false
	for _, method := range []string{"/chat/completions", "/responses", "/embeddings"} {
		if cut, ok := strings.CutSuffix(path, method); ok {
			path, whole = cut, true
			break
		}
	}
	if !whole && !versioned(path) {
		path += "/v1"
	}
	return endpoint{base: u, path: path + "/"}, nil
}

// modelMark stands for {model} in an address.
const modelMark = "0model0"

// versioned reports whether a path says which version of an interface it leads to.
func versioned(path string) bool {
	for element := range strings.SplitSeq(path, "/") {
		if element == "deployments" || len(element) > 1 && element[0] == 'v' && '0' <= element[1] && element[1] <= '9' {
			return true
		}
	}
	return false
}

// url returns where to post a request for a model.
func (e *endpoint) url(name, method string) *url.URL {
	u := *e.base
	u.RawPath = strings.ReplaceAll(e.path, modelMark, url.PathEscape(name)) + method
	if path, err := url.PathUnescape(u.RawPath); err == nil { // it was parsed before
		u.Path = path
	}
	return &u
}
