package openai

import (
	"cmp"
	"fmt"
	"net/url"
	"strings"
)

// endpoint builds request URLs.
type endpoint struct {
	base        *url.URL
	escapedPath string // ends in "/"
}

func newEndpoint(base string) (endpoint, error) {
	base = cmp.Or(strings.TrimSpace(base), "https://api.openai.com/v1")
	// url.Parse does not accept the braces of {model}.
	u, err := url.Parse(strings.ReplaceAll(base, "{model}", modelPlaceholder))
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		//lint:ignore ST1005 the text is a contract
		return endpoint{}, fmt.Errorf("Invalid custom base URL: %s", base)
	}
	path := strings.TrimRight(u.EscapedPath(), "/")
	hasMethod := false
	for _, method := range []string{"/chat/completions", "/responses", "/embeddings"} {
		if prefix, ok := strings.CutSuffix(path, method); ok {
			path, hasMethod = prefix, true
			break
		}
	}
	if isAzure(u.Hostname()) && (path == "" || path == "/v1") {
		path = "/openai"
	}
	if version := u.Query().Get("api-version"); !hasMethod && path == "/openai" && version != "" && '0' <= version[0] && version[0] <= '9' {
		path += "/deployments/" + modelPlaceholder // Azure before /openai/v1
	}
	if !hasMethod && !hasVersion(path) {
		path += "/v1"
	}
	return endpoint{base: u, escapedPath: path + "/"}, nil
}

// isAzure reports whether host belongs to Azure, whose paths begin with
// /openai.
func isAzure(host string) bool {
	for _, domain := range []string{".openai.azure.com", ".cognitiveservices.azure.com", ".services.ai.azure.com", ".openai.azure.us"} {
		if strings.HasSuffix(strings.ToLower(host), domain) {
			return true
		}
	}
	return false
}

// modelPlaceholder replaces {model} while the address is parsed.
const modelPlaceholder = "0model0"

// hasVersion reports whether path includes an API version or an Azure
// deployment.
func hasVersion(path string) bool {
	for element := range strings.SplitSeq(path, "/") {
		if element == "deployments" || len(element) > 1 && element[0] == 'v' && '0' <= element[1] && element[1] <= '9' {
			return true
		}
	}
	return false
}

// url returns the URL of a method for the model called name. On Azure, methods
// that do not belong to a deployment are outside /deployments.
func (e *endpoint) url(name, method string) *url.URL {
	u := *e.base
	path := e.escapedPath
	if prefix, deployment, ok := strings.Cut(path, "/deployments/"); ok && (method == "responses" || method == "models") && strings.Count(deployment, "/") == 1 {
		path = prefix + "/"
	}
	u.RawPath = strings.ReplaceAll(path, modelPlaceholder, url.PathEscape(name)) + method
	if path, err := url.PathUnescape(u.RawPath); err == nil { // escapedPath is valid, it was parsed before
		u.Path = path
	}
	return &u
}
