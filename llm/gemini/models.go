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

// The limits of a list of models. Google's list has about fifty models on one page.
const (
	maxPages     = 20
	maxPage      = 2 << 20 // bytes
	maxModels    = 5000
	maxName      = 256
	maxPageToken = 4 << 10
	listTimeout  = 30 * time.Second
)

// Models returns the models that can generate content. For models of the Gemini API
// the result includes token limits and whether they think, for those of Vertex AI
// only names. Errors are those of [Client.Generate].
func (c *Client) Models(ctx context.Context) ([]catalog.Model, error) {
	var models []catalog.Model
	seen := map[string]bool{}
	token := ""
	for range maxPages {
		page, err := c.fetchModelPage(ctx, token)
		if err != nil {
			return nil, err
		}
		for _, list := range [][]listedModel{page.Models, page.PublisherModels} {
			for _, m := range list {
				m.Name = strings.TrimPrefix(strings.TrimPrefix(m.Name, "publishers/google/"), "models/")
				if len(models) < maxModels && !seen[m.Name] && m.canChat(c.endpoint.vertex) {
					seen[m.Name] = true
					models = append(models, m.catalogModel())
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

// modelPage is a page of the list of models of the Gemini API or Vertex AI.
type modelPage struct {
	Models          []listedModel `json:"models"`
	PublisherModels []listedModel `json:"publisherModels"`
	NextPageToken   string        `json:"nextPageToken"`
}

// listedModel is a model in a modelPage.
type listedModel struct {
	Name             string      `json:"name"`
	InputTokenLimit  json.Number `json:"inputTokenLimit"`
	OutputTokenLimit json.Number `json:"outputTokenLimit"`
	Methods          []string    `json:"supportedGenerationMethods"`
	Thinking         *bool       `json:"thinking"`
}

// canChat reports whether the model can hold a conversation. Vertex AI does not list
// the methods of a model, so there the name decides.
func (m *listedModel) canChat(vertex bool) bool {
	if !isModelName(m.Name) || len(m.Name) > maxName || strings.ContainsFunc(m.Name, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return false
	}
	if vertex {
		return catalog.IsGemini(m.Name) && !strings.Contains(m.Name, "embedding") && !strings.Contains(m.Name, "-live-")
	}
	return slices.Contains(m.Methods, "generateContent")
}

func (m *listedModel) catalogModel() catalog.Model {
	known := catalog.Model{Name: m.Name, Input: tokenLimit(m.InputTokenLimit), Output: tokenLimit(m.OutputTokenLimit)}
	if m.Thinking != nil {
		known.Thinking = catalog.FromBool(*m.Thinking)
	}
	return known
}

// tokenLimit returns n as a number of tokens, 0 if it is out of range.
func tokenLimit(n json.Number) int {
	if i, err := n.Int64(); err == nil && i > 0 && i < 1<<40 {
		return int(i)
	}
	return 0
}

// fetchModelPage requests the page of the list with this token, the first page if it
// is "".
func (c *Client) fetchModelPage(ctx context.Context, token string) (*modelPage, error) {
	at, err := c.endpoint.listURL(token)
	if err != nil {
		return nil, err
	}
	header, err := c.headers(ctx, "-")
	if err != nil {
		return nil, err
	}
	header.Del("Content-Type")
	res, err := c.http.Get(ctx, httpwire.Request{URL: at, Header: header, HeaderTimeout: listTimeout})
	if res, err = httpwire.CheckStatus(res, err, statusError); err != nil {
		return nil, err
	}
	defer res.Close()
	data, err := io.ReadAll(io.LimitReader(res.Body, maxPage+1))
	switch {
	case err != nil:
		return nil, res.NetworkError(err)
	case len(data) > maxPage:
		return nil, httpwire.Malformed("list of models", fmt.Errorf("a page of more than %d MB", maxPage>>20), nil)
	}
	if err := bodyError(res, data); err != nil {
		return nil, err
	}
	var page modelPage
	if err := json.Unmarshal(data, &page); err != nil {
		return nil, httpwire.Malformed("list of models", err, data)
	}
	return &page, nil
}

// listURL returns the URL of a page of the list of models. On Vertex AI the URL has
// no project or location, and always the version v1beta1.
func (e *endpoint) listURL(token string) (*url.URL, error) {
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
