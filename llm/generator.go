package llm

import (
	"context"
	"iter"
)

// Generator is a model that can be asked: a vendor's adapter, or a decorator
// that wraps another Generator and changes one thing (retry, record, count).
//
// All methods may be called from several goroutines at once. A cancelled
// context ends a call within milliseconds with an error for which
// errors.Is(err, context.Cause(ctx)) holds; nothing is sent after that.
// Every other failure is an [*Error].
type Generator interface {
	// Stream asks and yields the answer chunk by chunk, on the caller's
	// goroutine. An error is the last thing yielded. An error before the first
	// chunk means that nothing of the answer exists and the same request may
	// be sent again; after it, the chunks so far must be thrown away first.
	// Breaking out of the loop closes the connection. The iterator is used
	// once. req and what it points to must not change until the end.
	Stream(ctx context.Context, req *Request) iter.Seq2[*Response, error]

	// Generate asks and returns the whole answer.
	Generate(ctx context.Context, req *Request) (*Response, error)

	// CountTokens returns how many tokens req.Contents are to req.Model.
	CountTokens(ctx context.Context, req *Request) (int, error)

	// Embed returns one vector for each text.
	Embed(ctx context.Context, model string, texts []string) ([][]float32, error)
}
