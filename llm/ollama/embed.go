package ollama

import (
	"context"
	"encoding/json"
	"fmt"

	"pollux/llm/httpwire"
)

// Embed implements [llm.Generator].
func (c *Client) Embed(ctx context.Context, model string, texts []string) ([][]float32, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	o := httpwire.Object{}
	o.String("model", model)
	o.Strings("input", texts)
	b := httpwire.NewBody(1)
	b.Add(o.End())
	res, err := c.post(ctx, model, "embed", b, patience)
	if err != nil {
		return nil, err
	}
	defer res.Close()
	data, err := res.ReadAll()
	if err == nil {
		err = res.CheckJSON(data)
	}
	if err != nil {
		return nil, err
	}
	var answer struct{ Embeddings [][]float32 }
	if err := json.Unmarshal(data, &answer); err != nil {
		return nil, httpwire.Malformed("list of embeddings", err, data)
	}
	if len(answer.Embeddings) != len(texts) {
		return nil, httpwire.Malformed("list of embeddings", fmt.Errorf("%d vectors for %d texts", len(answer.Embeddings), len(texts)), data)
	}
	return answer.Embeddings, nil
}
