package ollama

import (
	"context"
	"encoding/json"
	"fmt"

	"pollux/llm/httpwire"
)

// Embed implements [llm.Generator]. It returns one vector per text, in the
// order of texts.
func (c *Client) Embed(ctx context.Context, model string, texts []string) ([][]float32, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	o := httpwire.Object{}
	o.String("model", model)
	o.Strings("input", texts)
	data, err := c.readJSON(ctx, model, "embed", o.End(), answerTimeout)
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
