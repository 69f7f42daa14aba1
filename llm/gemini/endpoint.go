package gemini

import (
	"cmp"
	"fmt"
	"net/url"
	"strings"

	"pollux/llm"
	"pollux/llm/adc"
)

// endpoint builds the URLs of requests: {base}/{version}/{prefix}{model}:{method}.
type endpoint struct {
	base    *url.URL
	root    string // path of base; ends in "/"
	version string // root and version; ends in "/"
	prefix  string // version and, for Vertex, project and location; ends in "/"
	vertex  bool
}

// newEndpoint returns the endpoint for o, or an error if BaseURL or the location is
// invalid.
func newEndpoint(o Options) (endpoint, error) {
	e := endpoint{vertex: o.Vertex != nil}
	base, version := o.BaseURL, o.APIVersion
	if base == "" {
		if e.vertex && !adc.IsLocation(location(o.Vertex)) {
			return e, fmt.Errorf("%q is not the name of a location of Google Cloud's", o.Vertex.Location)
		}
		base = defaultBase(o.Vertex)
	}
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		//lint:ignore ST1005 the text is a contract
		return e, fmt.Errorf("Invalid custom base URL: %s", base)
	}
	if version == "" {
		version = "v1beta"
		if e.vertex {
			version = "v1beta1"
		}
	}
	path := strings.TrimRight(u.EscapedPath(), "/")
	// Users of other vendors' services include the version in the address.
	path = strings.TrimSuffix(path, "/"+version)
	e.root = path + "/"
	e.version = e.root + url.PathEscape(version) + "/"
	e.prefix = e.version
	if v := o.Vertex; v != nil && v.Project != "" {
		e.prefix += "projects/" + url.PathEscape(v.Project) + "/locations/" + url.PathEscape(location(v)) + "/"
	}
	e.base = u
	return e, nil
}

// defaultBase returns the address of the Gemini API if v is nil, otherwise that of
// Vertex AI in the location of v.
func defaultBase(v *Vertex) string {
	if v == nil {
		return "https://generativelanguage.googleapis.com"
	}
	if v.Project == "" {
		return adc.Endpoint("global")
	}
	return adc.Endpoint(location(v))
}

// location returns the location of v, "global" by default.
func location(v *Vertex) string { return cmp.Or(v.Location, "global") }

func (e *endpoint) methodURL(model, method string) (*url.URL, error) {
	model = strings.TrimPrefix(model, "models/")
	if !isModelName(model) {
		return nil, &llm.Error{Kind: llm.KindBadRequest, Message: fmt.Sprintf("%q is not the name of a model", model)}
	}
	u := *e.base
	prefix := e.prefix
	if e.vertex && strings.HasPrefix(model, "projects/") {
		prefix = e.version // the name has the project and the location
	}
	u.RawPath = prefix + e.modelPath(model) + ":" + method
	path, err := url.PathUnescape(u.RawPath)
	if err != nil {
		return nil, &llm.Error{Kind: llm.KindBadRequest, Err: fmt.Errorf("address of model %q: %w", model, err)}
	}
	u.Path = path
	if method == "streamGenerateContent" {
		query := u.Query()
		query.Set("alt", "sse")
		u.RawQuery = query.Encode()
	}
	return &u, nil
}

// isModelName reports whether model is a valid name with one or more path elements.
// It refuses names that would change the path of a URL, such as those with "..".
func isModelName(model string) bool {
	for element := range strings.SplitSeq(model, "/") {
		if element == "" || element == "." || element == ".." {
			return false
		}
	}
	return !strings.ContainsFunc(model, func(r rune) bool { return r <= ' ' || r == 0x7f })
}

// modelPath returns the resource name of a model. Names that are already resource
// names (tuned models, other publishers, endpoints) are unchanged.
func (e *endpoint) modelPath(model string) string {
	name := strings.Split(model, "/")
	for i := range name {
		name[i] = url.PathEscape(name[i])
	}
	escaped := strings.Join(name, "/")
	switch {
	case !e.vertex && name[0] == "tunedModels",
		e.vertex && (name[0] == "publishers" || name[0] == "endpoints" || name[0] == "projects"):
		return escaped
	case !e.vertex:
		return "models/" + escaped
	case len(name) == 2:
		return "publishers/" + name[0] + "/models/" + name[1]
	}
	return "publishers/google/models/" + escaped
}
