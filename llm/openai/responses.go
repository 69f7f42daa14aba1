package openai

import (
	"github.com/go-faster/jx"
	"pollux/llm"
	"pollux/llm/httpwire"
)

func (t *traits) responsesBody(req *llm.Request, stream bool) (*httpwire.Body, []string) {
	return nil, nil
}
func appendResponsesTools(dst []byte, set *llm.ToolSet) []byte   { return dst }
func (a *answer) responsesEvent(d *jx.Decoder, whole bool) error { return nil }
