package agent_test

import (
	"context"
	"encoding/json"
	"iter"
	"strings"
	"testing"

	"pollux/agent"
	"pollux/llm"
	"pollux/tool"
)

// picky is a model that refuses each request with a damaged image, and other requests with another reason.
type picky struct {
	script
	damaged string // the data of the image
	refuses bool   // every request
	sent    []string
}

func (p *picky) Stream(ctx context.Context, req *llm.Request) iter.Seq2[*llm.Response, error] {
	p.sent = append(p.sent, wire(req.Contents))
	bad := p.refuses
	for _, c := range req.Contents {
		for _, part := range c.Parts {
			for _, m := range append(mediaOf(part), part) {
				bad = bad || m.InlineData != nil && string(m.InlineData.Data) == p.damaged
			}
		}
	}
	if bad {
		return func(yield func(*llm.Response, error) bool) {
			yield(nil, &llm.Error{Kind: llm.KindBadRequest, Status: 400, Message: "Could not process image"})
		}
	}
	return p.script.Stream(ctx, req)
}

func mediaOf(p llm.Part) []llm.Part {
	if p.FunctionResponse != nil {
		return p.FunctionResponse.Parts
	}
	return nil
}

// pngHead begins each PNG image.
const pngHead = "\x89PNG\r\n\x1a\n"

func image(name, data string) llm.Part {
	return llm.Part{InlineData: &llm.Blob{MIMEType: "image/png", Data: []byte(data), DisplayName: name}}
}

// TestRefusedMedia checks that a damaged image costs one request, and not the conversation.
func TestRefusedMedia(t *testing.T) {
	t.Parallel()
	const left = "[image/png bad.png was left out: the service refused it]"
	look := newToy("look", func(context.Context, tool.Host, json.RawMessage) *tool.Result {
		return &tool.Result{Content: []llm.Part{image("bad.png", pngHead+"BAD")}}
	})
	for _, tt := range []struct {
		name     string
		earlier  []agent.Message
		prompts  [][]llm.Part
		answers  []func(context.Context, func(*llm.Response, error) bool)
		refuses  bool
		requests int
		retried  int
		last     string // part of the last request
	}{
		{
			name:    "of a prompt",
			prompts: [][]llm.Part{{llm.Text("see"), image("bad.png", pngHead+"BAD"), llm.Text("well")}, {llm.Text("and now")}},
			answers: []func(context.Context, func(*llm.Response, error) bool){says(text("no")), says(text("yes"))}, requests: 3, retried: 1,
			last: "user: see " + left + " well\nmodel: no\nuser: and now\n",
		},
		{
			name: "of a result", prompts: [][]llm.Part{{llm.Text("see")}, {llm.Text("and now")}},
			answers:  []func(context.Context, func(*llm.Response, error) bool){says(calls("look")), says(text("no")), says(text("yes"))},
			requests: 4, retried: 1, last: left + "\nmodel: no\nuser: and now\n",
		},
		{
			name: "of an earlier session",
			earlier: []agent.Message{
				{Content: llm.User(llm.Text("see"), image("bad.png", pngHead+"BAD"))}, {Content: llm.Model(llm.Text("no"))},
			},
			prompts: [][]llm.Part{{image("good.png", pngHead+"GOOD"), llm.Text("and now")}},
			answers: []func(context.Context, func(*llm.Response, error) bool){says(text("yes"))}, requests: 3, retried: 2,
			last: "user: see " + left + "\nmodel: no\n",
		},
		{
			name:    "that is not the reason",
			earlier: []agent.Message{{Content: llm.User(llm.Text("see"), image("good.png", pngHead+"GOOD"))}, {Content: llm.Model(llm.Text("no"))}},
			prompts: [][]llm.Part{{llm.Text("new"), image("good.png", pngHead+"GOOD")}}, refuses: true, requests: 3, retried: 2,
		},
		{
			name: "none", prompts: [][]llm.Part{{llm.Text("new")}}, refuses: true, requests: 1,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := &picky{damaged: pngHead + "BAD", refuses: tt.refuses, script: script{answers: tt.answers}}
			a := newAgent(t, &p.script, func(c *agent.Config) {
				c.Generator, c.KeepUnanswered = p, func(error) bool { return true }
			}, look)
			a.SetHistory(t.Context(), tt.earlier)
			retried, events := 0, ""
			for _, parts := range tt.prompts {
				for e, err := range a.Run(t.Context(), agent.Prompt{Parts: parts}) {
					if r, ok := e.(agent.Retried); ok {
						retried++
						events += r.Cause.Message + "\n"
					}
					if err != nil && !tt.refuses {
						t.Error(err)
					}
				}
			}
			if len(p.sent) != tt.requests || retried != tt.retried {
				t.Fatalf("%d requests, retried %d times: %q", len(p.sent), retried, p.sent)
			}
			if last := p.sent[len(p.sent)-1]; !strings.Contains(last, tt.last) {
				t.Errorf("last request:\n%swant\n%s", last, tt.last)
			}
			if !tt.refuses && !strings.Contains(events, `refused the request: Could not process image. Sending it again without image/png bad.png.`) {
				t.Errorf("events: %s", events)
			}
			for _, m := range a.History() { // media that are not to blame stay
				for _, part := range m.Content.Parts {
					if tt.refuses && strings.Contains(part.Text, "left out") {
						t.Errorf("left out: %s", part.Text)
					}
				}
			}
		})
	}
}
