//go:build sdk

package scriptmodel_test

import (
	"errors"
	"strings"
	"testing"

	sdkanthropic "github.com/anthropics/anthropic-sdk-go"
	anthropicoption "github.com/anthropics/anthropic-sdk-go/option"
	sdkopenai "github.com/openai/openai-go/v3"
	openaioption "github.com/openai/openai-go/v3/option"
	sdkresponses "github.com/openai/openai-go/v3/responses"

	"pollux/internal/scriptmodel"
)

// The vendors' own clients work with the server.

const sdkScript = `
models big
turn
  think Hm
  text Hello,
  text " wörld"
  call f {"path": "a longer text for a few deltas"}
  call f {}
  usage prompt=9 candidates=3 cached=2 thoughts=1
turn
  text plain
turn
  fail 429 insufficient_quota
turn
  text a
  fail 529
`

func TestOpenAISDK(t *testing.T) {
	t.Parallel()
	s := serve(t, sdkScript, scriptmodel.Options{Validate: openAIJudge(t)})
	client := sdkopenai.NewClient(openaioption.WithBaseURL(s.URL()+"/v1"), openaioption.WithAPIKey("k"), openaioption.WithMaxRetries(0))
	params := sdkopenai.ChatCompletionNewParams{
		Model:    "m",
		Messages: []sdkopenai.ChatCompletionMessageParamUnion{sdkopenai.UserMessage("hi")},
		StreamOptions: sdkopenai.ChatCompletionStreamOptionsParam{
			IncludeUsage: sdkopenai.Bool(true),
		},
		Tools: []sdkopenai.ChatCompletionToolUnionParam{sdkopenai.ChatCompletionFunctionTool(sdkopenai.FunctionDefinitionParam{Name: "f"})},
	}
	stream := client.Chat.Completions.NewStreaming(t.Context(), params)
	var all sdkopenai.ChatCompletionAccumulator
	for stream.Next() {
		if !all.AddChunk(stream.Current()) {
			t.Errorf("a chunk does not fit: %s", stream.Current().RawJSON())
		}
	}
	if err := errors.Join(stream.Err(), stream.Close()); err != nil {
		t.Fatal(err)
	}
	c := all.Choices[0]
	if c.Message.Content != "Hello, wörld" || c.FinishReason != "tool_calls" || len(c.Message.ToolCalls) != 2 ||
		c.Message.ToolCalls[0].Function.Arguments != `{"path":"a longer text for a few deltas"}` || all.Usage.TotalTokens != 13 ||
		all.Usage.PromptTokensDetails.CachedTokens != 2 {
		t.Errorf("%+v", all)
	}
	params.StreamOptions = sdkopenai.ChatCompletionStreamOptionsParam{}
	whole, err := client.Chat.Completions.New(t.Context(), params)
	if err != nil || whole.Choices[0].Message.Content != "plain" || whole.Choices[0].FinishReason != "stop" {
		t.Errorf("%v %+v", err, whole)
	}
	_, err = client.Chat.Completions.New(t.Context(), params)
	var failed *sdkopenai.Error
	if !errors.As(err, &failed) || failed.StatusCode != 429 || failed.Code != "insufficient_quota" {
		t.Errorf("%v", err)
	}
	stream = client.Chat.Completions.NewStreaming(t.Context(), params)
	for stream.Next() {
		continue
	}
	if err := stream.Err(); err == nil || !strings.Contains(err.Error(), "overloaded") {
		t.Errorf("%v", err)
	}
	if list, err := client.Models.List(t.Context()); err != nil || len(list.Data) != 1 || list.Data[0].ID != "big" {
		t.Errorf("%v %+v", err, list)
	}
	vectors, err := client.Embeddings.New(t.Context(), sdkopenai.EmbeddingNewParams{
		Model: "e", Input: sdkopenai.EmbeddingNewParamsInputUnion{OfArrayOfStrings: []string{"a", "b"}},
	})
	if err != nil || len(vectors.Data) != 2 || len(vectors.Data[1].Embedding) != 8 {
		t.Errorf("%v %+v", err, vectors)
	}
	if err := s.Check(); err != nil {
		t.Error(err)
	}
}

func TestOpenAIResponsesSDK(t *testing.T) {
	t.Parallel()
	s := serve(t, sdkScript+"turn\n expect result f_1 x\n text done\n", scriptmodel.Options{Validate: openAIJudge(t)})
	client := sdkopenai.NewClient(openaioption.WithBaseURL(s.URL()+"/v1"), openaioption.WithAPIKey("k"), openaioption.WithMaxRetries(0))
	user := sdkresponses.ResponseInputItemParamOfMessage("hi", sdkresponses.EasyInputMessageRoleUser)
	params := sdkresponses.ResponseNewParams{
		Model:   "gpt-5",
		Store:   sdkopenai.Bool(false),
		Include: []sdkresponses.ResponseIncludable{sdkresponses.ResponseIncludableReasoningEncryptedContent},
		Input: sdkresponses.ResponseNewParamsInputUnion{
			OfInputItemList: sdkresponses.ResponseInputParam{user},
		},
	}
	stream := client.Responses.NewStreaming(t.Context(), params)
	var final sdkresponses.Response
	text, args := "", ""
	for stream.Next() {
		switch e := stream.Current().AsAny().(type) {
		case sdkresponses.ResponseTextDeltaEvent:
			text += e.Delta
		case sdkresponses.ResponseFunctionCallArgumentsDeltaEvent:
			args += e.Delta
		case sdkresponses.ResponseCompletedEvent:
			final = e.Response
		}
	}
	if err := errors.Join(stream.Err(), stream.Close()); err != nil {
		t.Fatal(err)
	}
	if text != "Hello, wörld" || final.OutputText() != text || args != `{"path":"a longer text for a few deltas"}{}` ||
		len(final.Output) != 4 || final.Output[0].EncryptedContent == "" || final.Usage.TotalTokens != 13 {
		t.Errorf("%q %q %s", text, args, final.RawJSON())
	}
	whole, err := client.Responses.New(t.Context(), params)
	if err != nil || whole.OutputText() != "plain" || whole.Status != "completed" {
		t.Errorf("%v %+v", err, whole)
	}
	_, err = client.Responses.New(t.Context(), params)
	var failed *sdkopenai.Error
	if !errors.As(err, &failed) || failed.StatusCode != 429 {
		t.Errorf("%v", err)
	}
	stream = client.Responses.NewStreaming(t.Context(), params)
	last := ""
	for stream.Next() {
		last = stream.Current().Type
	}
	if err := stream.Err(); err == nil && last != "error" {
		t.Errorf("%v after %s", err, last)
	}
	// The answer goes back unchanged.
	items := sdkresponses.ResponseInputParam{user}
	for _, item := range final.Output {
		switch o := item.AsAny().(type) {
		case sdkresponses.ResponseReasoningItem:
			p := o.ToParam()
			items = append(items, sdkresponses.ResponseInputItemUnionParam{OfReasoning: &p})
		case sdkresponses.ResponseOutputMessage:
			p := o.ToParam()
			items = append(items, sdkresponses.ResponseInputItemUnionParam{OfOutputMessage: &p})
		case sdkresponses.ResponseFunctionToolCall:
			p := o.ToParam()
			items = append(items, sdkresponses.ResponseInputItemUnionParam{OfFunctionCall: &p})
		}
	}
	for _, id := range []string{"f_1", "f_2"} {
		output := sdkresponses.ResponseInputItemParamOfFunctionCallOutput("x")
		output.OfFunctionCallOutput.CallID = sdkopenai.String(id)
		items = append(items, output)
	}
	params.Input.OfInputItemList = items
	if whole, err := client.Responses.New(t.Context(), params); err != nil || whole.OutputText() != "done" {
		t.Errorf("%v %+v", err, whole)
	}
	if err := s.Check(); err != nil {
		t.Error(err)
	}
}

func TestAnthropicSDK(t *testing.T) {
	t.Parallel()
	s := serve(t, sdkScript+"turn\n expect result f_1 x\n text done\n", scriptmodel.Options{})
	client := sdkanthropic.NewClient(anthropicoption.WithBaseURL(s.URL()), anthropicoption.WithAPIKey("k"), anthropicoption.WithMaxRetries(0))
	params := sdkanthropic.MessageNewParams{
		Model: "claude-sonnet-4-6", MaxTokens: 2048,
		Messages: []sdkanthropic.MessageParam{sdkanthropic.NewUserMessage(sdkanthropic.NewTextBlock("hi"))},
		Thinking: sdkanthropic.ThinkingConfigParamUnion{OfAdaptive: &sdkanthropic.ThinkingConfigAdaptiveParam{}},
		Tools: []sdkanthropic.ToolUnionParam{{OfTool: &sdkanthropic.ToolParam{
			Name: "f", InputSchema: sdkanthropic.ToolInputSchemaParam{Properties: map[string]any{}},
		}}},
	}
	stream := client.Messages.NewStreaming(t.Context(), params)
	var all sdkanthropic.Message
	for stream.Next() {
		if err := all.Accumulate(stream.Current()); err != nil {
			t.Error(err)
		}
	}
	if err := errors.Join(stream.Err(), stream.Close()); err != nil {
		t.Fatal(err)
	}
	if len(all.Content) != 4 || all.Content[0].Thinking != "Hm" || all.Content[0].Signature == "" || all.Content[1].Text != "Hello, wörld" ||
		string(all.Content[2].Input) != `{"path":"a longer text for a few deltas"}` || all.StopReason != "tool_use" ||
		all.Usage.InputTokens != 7 || all.Usage.CacheReadInputTokens != 2 || all.Usage.OutputTokens != 4 {
		t.Errorf("%+v", all)
	}
	whole, err := client.Messages.New(t.Context(), params)
	if err != nil || whole.Content[0].Text != "plain" || whole.StopReason != "end_turn" {
		t.Errorf("%v %+v", err, whole)
	}
	_, err = client.Messages.New(t.Context(), params)
	var failed *sdkanthropic.Error
	if !errors.As(err, &failed) || failed.StatusCode != 400 || !strings.Contains(failed.RawJSON(), "credit balance") {
		t.Errorf("%v", err)
	}
	stream = client.Messages.NewStreaming(t.Context(), params)
	for stream.Next() {
		continue
	}
	if err := stream.Err(); err == nil || !strings.Contains(err.Error(), "Overloaded") {
		t.Errorf("%v", err)
	}
	params.Messages = append(params.Messages, all.ToParam(),
		sdkanthropic.NewUserMessage(sdkanthropic.NewToolResultBlock("f_1", "x", false), sdkanthropic.NewToolResultBlock("f_2", "x", true)))
	if whole, err := client.Messages.New(t.Context(), params); err != nil || whole.Content[0].Text != "done" {
		t.Errorf("%v %+v", err, whole)
	}
	n, err := client.Messages.CountTokens(t.Context(), sdkanthropic.MessageCountTokensParams{Model: "m", Messages: params.Messages})
	if err != nil || n.InputTokens == 0 {
		t.Errorf("%v %+v", err, n)
	}
	if list, err := client.Models.List(t.Context(), sdkanthropic.ModelListParams{}); err != nil || len(list.Data) != 1 || list.Data[0].ID != "big" {
		t.Errorf("%v %+v", err, list)
	}
	if err := s.Check(); err != nil {
		t.Error(err)
	}
}
