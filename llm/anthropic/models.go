package anthropic

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"pollux/llm"
	"pollux/llm/catalog"
	"pollux/llm/httpwire"
)

// maxPages is the maximum number of pages of the list of models.
const maxPages = 20

// Models returns the models that the service offers, the newest first, with the
// limits and abilities that the service reports. If the service has no list of
// models, as Vertex AI, Bedrock and some services of other vendors, it returns an
// error that wraps [errors.ErrUnsupported].
func (c *Client) Models(ctx context.Context) ([]catalog.Model, error) {
	d, ok := c.service.(*direct)
	if !ok {
		return nil, markUnsupported(&llm.Error{
			Kind: llm.KindBadRequest, Status: http.StatusNotImplemented, Message: "Claude on Vertex AI and Bedrock has no list of models",
		})
	}
	header := c.headers("", c.dialect("").Bearer)
	var models []catalog.Model
	after := ""
	for range maxPages {
		page, err := c.modelPage(ctx, d, header, after)
		if err != nil {
			return nil, markUnsupported(err)
		}
		for i := range page.Data {
			if page.Data[i].ID != "" {
				models = append(models, page.Data[i].catalogModel())
			}
		}
		if !page.HasMore || page.LastID == "" || page.LastID == after {
			break
		}
		after = page.LastID
	}
	return models, nil
}

type modelPage struct {
	Data    []modelInfo
	HasMore bool   `json:"has_more"`
	LastID  string `json:"last_id"`
}

// modelPage requests the page of the list after the model with id after.
func (c *Client) modelPage(ctx context.Context, d *direct, header http.Header, after string) (*modelPage, error) {
	at := d.endpoint("models")
	query := at.Query()
	query.Set("limit", "1000")
	if after != "" {
		query.Set("after_id", after)
	}
	at.RawQuery = query.Encode()
	res, err := checkStatus(c.http.Get(ctx, httpwire.Request{URL: at, Header: header, HeaderTimeout: httpwire.StreamHeaderTimeout}))
	if err != nil {
		return nil, err
	}
	defer res.Close()
	data, err := res.ReadJSON()
	if err != nil {
		return nil, err
	}
	page := new(modelPage)
	if err := json.Unmarshal(data, page); err != nil || page.Data == nil {
		return nil, httpwire.Malformed("list of models", cmp.Or(err, errors.New("no data")), data)
	}
	return page, nil
}

// modelInfo is a model in the list. Services of other vendors omit most members.
type modelInfo struct {
	ID             string
	MaxInputTokens float64 `json:"max_input_tokens"`
	MaxTokens      float64 `json:"max_tokens"`
	Capabilities   struct {
		Image    *capability `json:"image_input"`
		PDF      *capability `json:"pdf_input"`
		Thinking *capability
		Effort   struct{ Low, Medium, High, XHigh, Max *capability }
	}
}

// capability is an entry in the list of a model's capabilities.
type capability struct{ Supported bool }

// ability returns c as an ability, Unknown if c is nil.
func (c *capability) ability() catalog.Ability {
	if c == nil {
		return catalog.Unknown
	}
	return catalog.FromBool(c.Supported)
}

func (m *modelInfo) catalogModel() catalog.Model {
	can := &m.Capabilities
	model := catalog.Model{
		Name: m.ID, Input: tokens(m.MaxInputTokens), Output: tokens(m.MaxTokens),
		Thinking: can.Thinking.ability(), Images: can.Image.ability(), PDF: can.PDF.ability(),
	}
	for _, e := range []struct {
		word string
		has  *capability
	}{{"low", can.Effort.Low}, {"medium", can.Effort.Medium}, {"high", can.Effort.High}, {"xhigh", can.Effort.XHigh}, {"max", can.Effort.Max}} {
		if e.has != nil && e.has.Supported {
			model.Efforts = append(model.Efforts, e.word)
		}
	}
	return model
}
