package anthropic

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"net/url"
	"strings"

	"pollux/llm/adc"
	"pollux/llm/httpwire"
)

// Vertex says where on Google's Vertex AI a model runs.
type Vertex struct {
	Project  string
	Location string // "us-east5", "us", "eu"; "global" if empty
}

// vertex is Vertex AI: the address names the model, the body the protocol's
// version, and a token says who asks.
type vertex struct {
	base    *url.URL // down to the models
	version string
	tokens  adc.Tokens // nil where the header is complete
}

func newVertex(o Options, tokens adc.Tokens) (*vertex, error) {
	if o.Vertex.Project == "" {
		return nil, errors.New("claude on Vertex AI needs a Google Cloud project and a location")
	}
	location := cmp.Or(o.Vertex.Location, "global")
	if strings.TrimSpace(o.BaseURL) == "" && !adc.IsLocation(location) {
		return nil, fmt.Errorf("%q is not the name of a location of Google Cloud's", location)
	}
	base, err := parseBase(o.BaseURL, vertexHost(location))
	if err != nil {
		return nil, err
	}
	base.Path = strings.TrimRight(strings.TrimSuffix(base.Path, "/v1"), "/")
	base = inPath(base, "v1", "projects", o.Vertex.Project, "locations", location, "publishers", "anthropic", "models")
	return &vertex{base: base, version: cmp.Or(o.Version, "vertex-2023-10-16"), tokens: tokens}, nil
}

// vertexHost is the service's own address (spec/agent.md §2).
func vertexHost(location string) string {
	switch location {
	case "global":
		return "https://aiplatform.googleapis.com"
	case "us", "eu":
		return "https://aiplatform." + location + ".rep.googleapis.com"
	}
	return "https://" + location + "-aiplatform.googleapis.com"
}

func (v *vertex) form() form { return form{version: v.version, addressed: true, name: vertexName} }

// vertexName is how Vertex AI names a model: with "@" before its date.
func vertexName(model string) string {
	model = model[strings.LastIndexByte(model, '/')+1:] // behind "publishers/anthropic/models"
	if i := len(model) - len("-20250929"); i > 0 && model[i] == '-' && isDate(model[i+1:]) {
		return model[:i] + "@" + model[i+1:]
	}
	return model
}

func (v *vertex) aim(ctx context.Context, r *httpwire.Request, m method, model string) error {
	model = vertexName(model)
	if err := checkName(model); err != nil {
		return err
	}
	verb := map[method]string{toStream: ":streamRawPredict", toAnswer: ":rawPredict", toCount: ":rawPredict"}[m]
	if m == toCount {
		model = "count-tokens"
	}
	u := inPath(v.base, model)
	u.Path, u.RawPath = u.Path+verb, u.RawPath+verb
	r.URL = u
	if v.tokens == nil {
		return nil
	}
	return v.tokens.Authorize(ctx, r.Header)
}

func (v *vertex) events(_ context.Context, r *httpwire.Response) iter.Seq2[httpwire.Event, error] {
	return r.Events()
}
