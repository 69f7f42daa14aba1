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

// Vertex is a location on Google's Vertex AI.
type Vertex struct {
	Project  string
	Location string // "us-east5", "us", "eu"; "global" if empty
}

// vertex is the service of Vertex AI. The URL contains the model, and the body the
// version of the protocol.
type vertex struct {
	base    *url.URL // includes the path up to the models
	version string
	tokens  adc.Tokens // nil if Options.AuthToken or Header authenticates requests
}

func newVertex(o Options, tokens adc.Tokens) (*vertex, error) {
	if o.Vertex.Project == "" {
		return nil, errors.New("claude on Vertex AI needs a Google Cloud project and a location")
	}
	location := cmp.Or(o.Vertex.Location, "global")
	if strings.TrimSpace(o.BaseURL) == "" && !adc.IsLocation(location) {
		return nil, fmt.Errorf("%q is not the name of a location of Google Cloud's", location)
	}
	base, err := parseBase(o.BaseURL, adc.Endpoint(location))
	if err != nil {
		return nil, err
	}
	base.Path = strings.TrimRight(strings.TrimSuffix(base.Path, "/v1"), "/")
	base = withPath(base, "v1", "projects", o.Vertex.Project, "locations", location, "publishers", "anthropic", "models")
	return &vertex{base: base, version: "vertex-2023-10-16", tokens: tokens}, nil
}

func (v *vertex) bodyForm() bodyForm {
	return bodyForm{version: v.version, modelInURL: true, name: vertexName}
}

// vertexName returns the name of a model on Vertex AI, with "@" before its date.
func vertexName(model string) string {
	model = model[strings.LastIndexByte(model, '/')+1:] // removes "publishers/anthropic/models/"
	if i := len(model) - len("-20250929"); i > 0 && model[i] == '-' && isDate(model[i+1:]) {
		return model[:i] + "@" + model[i+1:]
	}
	return model
}

func (v *vertex) prepareRequest(ctx context.Context, r *httpwire.Request, m method, model string) error {
	model = vertexName(model)
	if err := validateModelName(model); err != nil {
		return err
	}
	verb := map[method]string{methodStream: ":streamRawPredict", methodGenerate: ":rawPredict", methodCount: ":rawPredict"}[m]
	if m == methodCount {
		model = "count-tokens"
	}
	u := withPath(v.base, model)
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
