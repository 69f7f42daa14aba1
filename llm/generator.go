package llm

import (
	"context"
	"iter"
)

// Generator sends requests to models. It is a vendor's adapter, or a decorator that
// wraps another Generator and changes one thing, such as retries or recording.
//
// Several goroutines may call all methods at the same time. When the context is
// cancelled, a call returns within milliseconds with an error for which
// errors.Is(err, context.Cause(ctx)) is true, and sends nothing more. All other
// errors are of type [*Error].
type Generator interface {
	// Stream sends a request and yields the answer chunk by chunk, on the caller's
	// goroutine. Nothing follows an error. After an error before the first chunk
	// the request may be sent again; after a later one only if the chunks so far
	// are discarded. Breaking out of the loop closes the connection. The iterator
	// can be used once. req and everything it points to must not change meanwhile.
	Stream(ctx context.Context, req *Request) iter.Seq2[*Response, error]

	// Generate sends a request and returns the whole answer.
	Generate(ctx context.Context, req *Request) (*Response, error)

	// CountTokens returns the number of tokens in req.Contents for req.Model.
	CountTokens(ctx context.Context, req *Request) (int, error)

	// Embed returns an embedding for each text.
	Embed(ctx context.Context, model string, texts []string) ([][]float32, error)
}
