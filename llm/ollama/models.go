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

// How a list of models is made: so many are asked about at once, and for no
// longer than that. What a list has beyond so many is left out.
const (
	showAtOnce   = 8
	showPatience = 3 * time.Second
	maxListed    = 1000
)

// Models lists the models that the server has and that answer, in its own order:
// the latest first. Of one that it does not describe in time nothing but the name
// is known.
func (c *Client) Models(ctx context.Context) ([]catalog.Model, error) {
	tags, err := c.tags(ctx)
	if err != nil {
		return nil, err
	}
	asking, cancel := context.WithTimeout(ctx, showPatience)
	defer cancel()
	found := make([]*catalog.Model, len(tags))
	var wg sync.WaitGroup
	free := make(chan struct{}, showAtOnce)
	for i := range tags {
		free <- struct{}{}
		wg.Go(func() {
			defer func() { <-free }()
			found[i] = c.listed(asking, &tags[i])
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

// tag is a model in the server's list.
type tag struct {
	Name    string
	Details struct {
		Family   string
		Families []string
	}
}

// tags asks for the server's list.
func (c *Client) tags(ctx context.Context) ([]tag, error) {
	res, err := c.http.Get(ctx, httpwire.Request{URL: c.url("tags"), Header: c.headers(""), Patience: patienceShow})
	if res, err = c.answered("", res, err); err != nil {
		return nil, err
	}
	defer res.Close()
	data, err := res.ReadJSON()
	if err != nil {
		return nil, err
	}
	var list struct{ Models []tag }
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, httpwire.Malformed("list of models", err, data)
	}
	list.Models = slices.DeleteFunc(list.Models, func(t tag) bool { return t.Name == "" })
	return list.Models[:min(len(list.Models), maxListed)], nil
}

// listed is what is known of a listed model, nil if it only embeds.
func (c *Client) listed(ctx context.Context, t *tag) *catalog.Model {
	m := c.models.Get(t.Name)
	if m == nil {
		data, err := c.show(ctx, t.Name)
		m = c.first(t.Name)
		switch {
		case err != nil || m.describe(data) != nil:
			if onlyEmbeds(t, nil) {
				return nil
			}
			return &catalog.Model{Name: t.Name}
		case onlyEmbeds(t, data):
			return nil
		}
		m = c.add(m)
	}
	known := m.known()
	return &known
}

// onlyEmbeds reports whether a model makes vectors and no answers, going by its
// description, and by its family where that does not say.
func onlyEmbeds(t *tag, description []byte) bool {
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
