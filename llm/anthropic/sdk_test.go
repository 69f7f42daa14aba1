//go:build sdk

package anthropic

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	sdk "github.com/anthropics/anthropic-sdk-go"
	sdkbedrock "github.com/anthropics/anthropic-sdk-go/bedrock"
	"github.com/anthropics/anthropic-sdk-go/option"
	"github.com/aws/aws-sdk-go-v2/aws"

	"pollux/llm"
	"pollux/llm/catalog"
)

// The vendor's SDK judges what is sent and what is understood.

func init() { checkLossless = checkWithSDK }

// checkWithSDK decodes a request into the vendor's types and back.
func checkWithSDK(data []byte) string {
	var params sdk.MessageNewParams
	if err := json.Unmarshal(data, &params); err != nil {
		return "the SDK cannot read it: " + err.Error()
	}
	again, err := json.Marshal(params)
	if err != nil {
		return "the SDK cannot write it: " + err.Error()
	}
	var before, after map[string]any
	_ = json.Unmarshal(data, &before) // decoded before
	_ = json.Unmarshal(again, &after)
	delete(before, "stream")         // the SDK adds it to the body, not to the type
	if before["max_tokens"] == nil { // as where tokens are counted
		delete(after, "max_tokens")
	}
	if text, ok := before["system"].(string); ok { // the SDK knows the list only
		before["system"] = []any{map[string]any{"type": "text", "text": text}}
	}
	listResults(before)
	if !reflect.DeepEqual(before, after) {
		return fmt.Sprintf("the SDK knows less of it:\n%s\n%s", data, again)
	}
	return ""
}

// TestStreamLikeSDK compares the message to send back after a stream with that of the
// vendor's SDK.
func TestStreamLikeSDK(t *testing.T) {
	t.Parallel()
	chunks, _, err := play(&query{Request: &llm.Request{}}, fullStream, false)
	if err != nil {
		t.Fatal(err)
	}
	var message sdk.Message
	for line := range strings.Lines(fullStream) {
		data, ok := strings.CutPrefix(line, "data: ")
		if !ok {
			continue
		}
		var event sdk.MessageStreamEventUnion
		if err := json.Unmarshal([]byte(data), &event); err != nil {
			t.Fatal(err)
		}
		if err := message.Accumulate(event); err != nil && event.Type != "ping" {
			t.Fatal(err)
		}
	}
	back, err := json.Marshal(message.ToParam().Content)
	if err != nil {
		t.Fatal(err)
	}
	ours := append(append([]byte{'['}, encodingsFor(&Quirks{}).model(nil, llm.Model(parts(chunks)...))...), ']')
	if !same(ours, back) {
		t.Errorf("sent back: %s\nthe SDK:   %s", ours, back)
	}
}

func same(a, b []byte) bool {
	var x, y any
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return false
	}
	return show(x) == show(y)
}

// TestModelsLikeSDK compares the list of models with the one that the vendor's SDK gets,
// over all pages.
func TestModelsLikeSDK(t *testing.T) {
	t.Parallel()
	url := servingPages(t)
	got, err := newClient(t, Options{APIKey: "k", BaseURL: url}).Models(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	judge := sdk.NewClient(option.WithoutEnvironmentDefaults(), option.WithAPIKey("k"), option.WithBaseURL(url))
	list := judge.Models.ListAutoPaging(t.Context(), sdk.ModelListParams{})
	for i := 0; list.Next(); i++ {
		m := list.Current()
		if i >= len(got) {
			break // one without a name
		}
		if m.ID != got[i].Name || max(int(m.MaxInputTokens), 0) != got[i].Input || int(m.MaxTokens) != got[i].Output ||
			m.Capabilities.ImageInput.Supported != (got[i].Images == catalog.Yes) {
			t.Errorf("%+v, the SDK finds %s", got[i], m.RawJSON())
		}
	}
	if list.Err() != nil {
		t.Error(list.Err())
	}
}

// TestBedrockLikeSDK compares requests with those of the vendor's SDK.
func TestBedrockLikeSDK(t *testing.T) {
	t.Parallel()
	s := signedBedrock(t)
	req := askBedrock(t, s)
	var params sdk.MessageNewParams
	if err := json.Unmarshal([]byte(bodyOf(t, (&query{Request: req}).body())), &params); err != nil {
		t.Fatal(err)
	}
	judge := sdk.NewClient(sdkbedrock.WithConfig(aws.Config{
		Region:      "us-west-2",
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) { return testKey, nil }),
	}), option.WithBaseURL(s.URL), option.WithHeader(betaHeader, interleavedBeta))
	// The strict server does not accept the header that the SDK leaves.
	noVersion := option.WithHeaderDel("Anthropic-Version")
	stream := judge.Messages.NewStreaming(t.Context(), params, noVersion)
	var message sdk.Message
	for stream.Next() {
		if err := message.Accumulate(stream.Current()); err != nil {
			t.Fatal(err)
		}
	}
	if stream.Err() != nil || len(message.Content) != 5 || message.Content[2].Text != "I look 🦆 twice." {
		t.Fatalf("%+v, %v", message, stream.Err())
	}
	if _, err := judge.Messages.New(t.Context(), params, noVersion); err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		if s.paths[i] != s.paths[i+2] {
			t.Errorf("%s, the SDK asks %s", s.paths[i], s.paths[i+2])
		}
		if got, want := listed(t, s.raw[i]), listed(t, s.raw[i+2]); !reflect.DeepEqual(got, want) {
			t.Errorf("got  %s\nwant %s", show(got), show(want))
		}
	}
	if len(s.refused) > 0 {
		t.Errorf("refused %q", s.refused)
	}
}
