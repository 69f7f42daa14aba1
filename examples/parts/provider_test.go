package parts

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/http/httptest"

	"pollux/agent"
	"pollux/llm"
	"pollux/tool"
)

// service is the adapter of a service with a protocol of its own: it gets {"lines": [...]}, of which every second one is
// the model's, and returns {"reply": "..."}.
type service struct{ url string }

var _ llm.Generator = service{}

// Generate converts the conversation to the service's form, and its reply to a response. The kind of an error decides
// whether a decorator such as llm/retry sends the request again.
func (s service) Generate(ctx context.Context, r *llm.Request) (*llm.Response, error) {
	var body struct {
		Lines []string `json:"lines"`
	}
	for _, c := range r.Contents {
		body.Lines = append(body.Lines, string(c.Role)+": "+c.Text())
	}
	sent, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, bytes.NewReader(sent))
	if err != nil {
		return nil, err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, &llm.Error{Kind: llm.KindNetwork, Message: err.Error(), Err: err}
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return nil, &llm.Error{Kind: llm.KindServer, Status: res.StatusCode, Message: res.Status}
	}
	var got struct {
		Reply string `json:"reply"`
	}
	if err := json.NewDecoder(res.Body).Decode(&got); err != nil {
		return nil, &llm.Error{Kind: llm.KindServer, Message: "the reply is no JSON", Err: err}
	}
	return answer(llm.Text(got.Reply)), nil
}

// Stream yields the whole response at once, because the service does not stream.
func (s service) Stream(ctx context.Context, req *llm.Request) iter.Seq2[*llm.Response, error] {
	return func(yield func(*llm.Response, error) bool) { yield(s.Generate(ctx, req)) }
}

// CountTokens estimates, because the service does not count.
func (service) CountTokens(_ context.Context, req *llm.Request) (int, error) {
	n := 0
	for _, c := range req.Contents {
		n += c.Tokens()
	}
	return n, nil
}

// Embed is for tools that search by meaning. The service has none.
func (service) Embed(context.Context, string, []string) ([][]float32, error) {
	return nil, errors.ErrUnsupported
}

// An adapter makes any service a model.
func Example_provider() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct{ Lines []string }
		if json.NewDecoder(r.Body).Decode(&body) != nil {
			http.Error(w, "no JSON", http.StatusBadRequest)
			return
		}
		fmt.Fprintf(w, `{"reply": %q}`, fmt.Sprintf("You said %q.", body.Lines))
	}))
	defer server.Close()
	a := agent.New(agent.Config{Model: "echo", Gate: open{}, Tools: tool.NewRegistry(), Generator: service{server.URL}})
	say(a, "Hi")
	say(a, "More")
	// Output:
	// You said ["user: Hi"].
	// You said ["user: Hi" "model: You said [\"user: Hi\"]." "user: More"].
}
