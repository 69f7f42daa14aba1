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

// maxPages bounds how much of a list of models is asked for.
const maxPages = 20

// Models returns the models that the service offers, the newest first, with what
// it says of them. Services that have no such list (Vertex AI, Bedrock, and some
// that only speak this protocol) make it an error for which
// errors.Is(err, errors.ErrUnsupported) holds.
func (c *Client) Models(ctx context.Context) ([]catalog.Model, error) {
	d, ok := c.service.(*direct)
	if !ok {
		return nil, unserved(&llm.Error{
			Kind: llm.KindBadRequest, Status: http.StatusNotImplemented, Message: "Claude on Vertex AI and Bedrock has no list of models",
		})
	}
	header := c.headers("", c.manner("").Bearer)
	var models []catalog.Model
	after := ""
	for range maxPages {
		page, err := c.modelPage(ctx, d, header, after)
		if err != nil {
			return nil, unserved(err)
		}
		for i := range page.Data {
			if page.Data[i].ID != "" {
				models = append(models, page.Data[i].model())
			}
		}
		if !page.HasMore || page.LastID == "" || page.LastID == after {
			break
		}
		after = page.LastID
	}
	return models, nil
}

// modelPage is a piece of the list.
type modelPage struct {
	Data    []modelInfo
	HasMore bool   `json:"has_more"`
	LastID  string `json:"last_id"`
}

func (c *Client) modelPage(ctx context.Context, d *direct, header http.Header, after string) (*modelPage, error) {
	at := d.at("models")
	query := at.Query()
	query.Set("limit", "1000")
	if after != "" {
		query.Set("after_id", after)
	}
	at.RawQuery = query.Encode()
	res, err := checked(c.http.Get(ctx, httpwire.Request{URL: at, Header: header, Patience: httpwire.PatienceStream}))
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

// modelInfo is what the service says of a model; others who serve such a list say
// less.
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

type capability struct{ Supported bool }

func (c *capability) ability() catalog.Ability {
	if c == nil {
		return catalog.Unknown
	}
	return catalog.If(c.Supported)
}

func (m *modelInfo) model() catalog.Model {
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
