package ollama

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"time"

	"pollux/llm/catalog"
	"pollux/llm/httpwire"
)

// Limits of listing models: concurrent requests for descriptions, the time for
// all of them, and the number of models. The rest of a longer list is omitted.
const (
	showConcurrency = 8
	listTimeout     = 3 * time.Second
	maxListedModels = 1000
)

// Models returns the chat models that the server has, in the order of the
// server: newest first. A model that the server does not describe in time has
// only a name.
func (c *Client) Models(ctx context.Context) ([]catalog.Model, error) {
	tags, err := c.listModels(ctx)
	if err != nil {
		return nil, err
	}
	showCtx, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	found := make([]*catalog.Model, len(tags))
	var wg sync.WaitGroup
	slots := make(chan struct{}, showConcurrency)
	for i := range tags {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			found[i] = c.catalogModel(showCtx, &tags[i])
		})
	}
	wg.Wait()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	var all []catalog.Model
	for _, m := range found {
		if m != nil {
			all = append(all, *m)
		}
	}
	return all, nil
}

// listedModel is a model in the server's list.
type listedModel struct {
	Name    string
	Details struct {
		Family   string
		Families []string
	}
}

// listModels returns the server's list of models.
func (c *Client) listModels(ctx context.Context) ([]listedModel, error) {
	res, err := c.http.Get(ctx, httpwire.Request{URL: c.url("tags"), Header: c.headers(""), HeaderTimeout: showTimeout})
	if res, err = c.checkStatus("", res, err); err != nil {
		return nil, err
	}
	defer res.Close()
	data, err := res.ReadJSON()
	if err != nil {
		return nil, err
	}
	var list struct{ Models []listedModel }
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, httpwire.Malformed("list of models", err, data)
	}
	list.Models = slices.DeleteFunc(list.Models, func(t listedModel) bool { return t.Name == "" })
	return list.Models[:min(len(list.Models), maxListedModels)], nil
}

// catalogModel returns the catalog entry of a listed model, or nil for an
// embedding model.
func (c *Client) catalogModel(ctx context.Context, t *listedModel) *catalog.Model {
	m := c.models.Get(t.Name)
	if m == nil {
		data, err := c.describeModel(ctx, t.Name)
		m = c.newModel(t.Name)
		switch {
		case err != nil || m.describe(data) != nil:
			if isEmbeddingModel(t, nil) {
				return nil
			}
			return &catalog.Model{Name: t.Name}
		case isEmbeddingModel(t, data):
			return nil
		}
		m = c.addModel(m)
	}
	known := m.catalogModel()
	return &known
}

// isEmbeddingModel reports whether a model is only for embeddings, judged by
// its description, or by its family and name if the description has no
// capabilities.
func isEmbeddingModel(t *listedModel, description []byte) bool {
	var about struct{ Capabilities []string }
	if json.Unmarshal(description, &about) == nil && about.Capabilities != nil {
		return !slices.Contains(about.Capabilities, "completion")
	}
	for _, family := range append(t.Details.Families, t.Details.Family) {
		if strings.Contains(family, "bert") {
			return true
		}
	}
	return strings.Contains(t.Name, "embed")
}
