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
	if isAzure(u.Hostname()) && (path == "" || path == "/v1") {
		path = "/openai"
	}
	if dated := u.Query().Get("api-version"); !whole && path == "/openai" && dated != "" && '0' <= dated[0] && dated[0] <= '9' {
		path += "/deployments/" + modelMark // Azure as it was before /openai/v1
	}
	if !whole && !versioned(path) {
		path += "/v1"
	}
	return endpoint{base: u, path: path + "/"}, nil
}

// isAzure reports whether a host is one of Azure's, which keeps its addresses
// below /openai.
func isAzure(host string) bool {
	for _, domain := range []string{".openai.azure.com", ".cognitiveservices.azure.com", ".services.ai.azure.com", ".openai.azure.us"} {
		if strings.HasSuffix(strings.ToLower(host), domain) {
			return true
		}
	}
	return false
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

// url returns where a request about a model goes. What is no model's own has its
// place above Azure's deployments.
func (e *endpoint) url(name, method string) *url.URL {
	u := *e.base
	path := e.path
	if above, deployment, ok := strings.Cut(path, "/deployments/"); ok && (method == "responses" || method == "models") && strings.Count(deployment, "/") == 1 {
		path = above + "/"
	}
	u.RawPath = strings.ReplaceAll(path, modelMark, url.PathEscape(name)) + method
	if path, err := url.PathUnescape(u.RawPath); err == nil { // it was parsed before
		u.Path = path
	}
	return &u
}
