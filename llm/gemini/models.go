package gemini

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"

	"pollux/llm"
	"pollux/llm/catalog"
	"pollux/llm/httpwire"
)

// The limits of a list of models. Google's has some fifty, on one page.
const (
	maxPages     = 20
	maxPage      = 2 << 20 // bytes
	maxModels    = 5000
	maxName      = 256
	maxPageToken = 4 << 10
	patienceList = 30 * time.Second
)

// Models lists the models that can be asked here and what the service says of
// them, which on Vertex AI is their names. Errors are those of a request.
func (c *Client) Models(ctx context.Context) ([]catalog.Model, error) {
	var models []catalog.Model
	seen := map[string]bool{}
	token := ""
	for range maxPages {
		page, err := c.modelPage(ctx, token)
		if err != nil {
			return nil, err
		}
		for _, list := range [][]listedModel{page.Models, page.PublisherModels} {
			for _, m := range list {
				m.Name = strings.TrimPrefix(strings.TrimPrefix(m.Name, "publishers/google/"), "models/")
				if len(models) < maxModels && !seen[m.Name] && m.answers(c.endpoint.vertex) {
					seen[m.Name] = true
					models = append(models, m.model())
				}
			}
		}
		last := token
		token = page.NextPageToken
		if token == "" || token == last || len(token) > maxPageToken {
			break
		}
	}
	return models, nil
}

// modelPage is a page of the list, in the form of either service.
type modelPage struct {
	Models          []listedModel `json:"models"`
	PublisherModels []listedModel `json:"publisherModels"`
	NextPageToken   string        `json:"nextPageToken"`
}

type listedModel struct {
	Name             string      `json:"name"`
	InputTokenLimit  json.Number `json:"inputTokenLimit"`
	OutputTokenLimit json.Number `json:"outputTokenLimit"`
	Methods          []string    `json:"supportedGenerationMethods"`
	Thinking         *bool       `json:"thinking"`
}

// answers reports whether this is a model that a conversation can be held with.
// Vertex AI does not say; there the name must.
func (m *listedModel) answers(vertex bool) bool {
	if !isName(m.Name) || len(m.Name) > maxName || strings.ContainsFunc(m.Name, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return false
	}
	if vertex {
		return catalog.IsGemini(m.Name) && !strings.Contains(m.Name, "embedding") && !strings.Contains(m.Name, "-live-")
	}
	return slices.Contains(m.Methods, "generateContent")
}

func (m *listedModel) model() catalog.Model {
	known := catalog.Model{Name: m.Name, Input: sane(m.InputTokenLimit), Output: sane(m.OutputTokenLimit)}
	if m.Thinking != nil {
		known.Thinking = catalog.If(*m.Thinking)
	}
	return known
}

// sane returns a number of tokens, 0 where it is none that can be.
func sane(n json.Number) int {
	if i, err := n.Int64(); err == nil && i > 0 && i < 1<<40 {
		return int(i)
	}
	return 0
}

// modelPage asks for the page of the list that token leads to.
func (c *Client) modelPage(ctx context.Context, token string) (*modelPage, error) {
	at, err := c.endpoint.list(token)
	if err != nil {
		return nil, err
	}
	header, err := c.headers(ctx, "-")
	if err != nil {
		return nil, err
	}
	header.Del("Content-Type")
	res, err := checked(c.http.Get(ctx, httpwire.Request{URL: at, Header: header, Patience: patienceList}))
	if err != nil {
		return nil, err
	}
	defer res.Close()
	data, err := io.ReadAll(io.LimitReader(res.Body, maxPage+1))
	switch {
	case err != nil:
		return nil, res.NetworkError("read the models of", err)
	case len(data) > maxPage:
		return nil, httpwire.Malformed("list of models", fmt.Errorf("a page of more than %d MB", maxPage>>20), nil)
	}
	if err := refused(res, data); err != nil {
		return nil, err
	}
	var page modelPage
	if err := json.Unmarshal(data, &page); err != nil {
		return nil, httpwire.Malformed("list of models", err, data)
	}
	return &page, nil
}

// list returns where a page of the list of models is. On Vertex AI that is not of
// a project or place, and of one version only.
func (e *endpoint) list(token string) (*url.URL, error) {
	u := *e.base
	u.RawPath = e.prefix + "models"
	query := u.Query()
	query.Set("pageSize", "1000")
	if e.vertex {
		u.RawPath = e.root + "v1beta1/publishers/google/models"
	}
	if token != "" {
		query.Set("pageToken", token)
	}
	u.RawQuery = query.Encode()
	path, err := url.PathUnescape(u.RawPath)
	if err != nil {
		return nil, &llm.Error{Kind: llm.KindBadRequest, Err: fmt.Errorf("address of the models: %w", err)}
	}
	u.Path = path
	return &u, nil
}
