package scriptmodel_test

import (
	"strings"
	"testing"

	"pollux/internal/scriptmodel"
)

// TestGeminiRules checks which fields may be combined, depending on the model.
func TestGeminiRules(t *testing.T) {
	t.Parallel()
	const (
		functions = `"tools":[{"functionDeclarations":[{"name":"a","description":"d"}]},{"googleSearch":{}}]`
		picture   = `"contents":[` + hi + `,{"role":"model","parts":[{"functionCall":{"name":"f","args":{}},"thoughtSignature":"c2ln"}]},
			{"role":"user","parts":[{"functionResponse":{"name":"f","response":{},"parts":[{"inlineData":{"mimeType":"image/png","data":"AAAA"}}]}}]}]`
	)
	thinks := func(config string) string { return `"generationConfig":{"thinkingConfig":{` + config + `}}` }
	choice := func(config string) string {
		return `"tools":[{"functionDeclarations":[{"name":"a","description":"d"}]}],"toolConfig":{"functionCallingConfig":{` + config + `}}`
	}
	for _, c := range []struct{ model, more, want string }{
		{"gemini-2.5-flash", thinks(`"thinkingLevel":"HIGH"`), "Thinking level is not supported"},
		{"gemini-3-pro-preview", thinks(`"thinkingLevel":"HIGH"`), ""},
		{"gemini-3-pro-preview", thinks(`"thinkingLevel":"HIGH","thinkingBudget":9`), "only one of thinking budget and thinking level"},
		{"gemini-2.5-pro", thinks(`"thinkingBudget":0`), "only works in thinking mode"},
		{"gemini-2.5-pro", thinks(`"thinkingBudget":40000`), "choose a value between 128 and 32768"},
		{"gemini-2.5-flash", thinks(`"thinkingBudget":0`), ""},
		{"gemini-2.5-flash", thinks(`"thinkingBudget":30000`), "between 0 and 24576"},
		{"gemini-2.5-flash-lite", thinks(`"thinkingBudget":100`), "between 512 and 24576"},
		{"gemini-2.0-flash", thinks(`"includeThoughts":true`), "not supported by this model"},
		{"gemini-2.5-flash", functions, "Tool use with function calling is unsupported"},
		{"gemini-3-pro-preview", functions, ""},
		{"gemini-2.5-flash", choice(`"mode":"ANY"`) + `,"generationConfig":{"responseMimeType":"application/json"}`, "response mime type"},
		{"gemini-2.5-flash", choice(`"mode":"ANY","allowedFunctionNames":["a"]`), ""},
		{"gemini-2.5-flash", choice(`"mode":"AUTO","allowedFunctionNames":["a"]`), "only when the mode is ANY"},
		{"gemini-2.5-flash", choice(`"mode":"ANY","allowedFunctionNames":["b"]`), "not among the function declarations"},
		{"gemini-2.5-flash", `"toolConfig":{"functionCallingConfig":{"mode":"ANY"}}`, "without function_declarations"},
		{"gemini-2.5-flash", `"generationConfig":{"stopSequences":["a","b","c","d","e","f"]}`, "at most 5"},
		{"gemini-2.5-flash", picture, "Multimodal function responses"},
		{"gemini-3-pro-preview", picture, ""},
		{"gemma-3-27b-it", functions, ""},
	} {
		s := serve(t, "turn\n text x", scriptmodel.Options{Validate: judge(t)})
		body := `{"contents":[` + hi + `],` + c.more + `}`
		if strings.HasPrefix(c.more, `"contents"`) {
			body = `{` + c.more + `}`
		}
		status, answer, err := post(t, s.URL()+"/v1beta/models/"+c.model+":streamGenerateContent?alt=sse", body)
		if err != nil || (c.want == "") != (status == 200) || !strings.Contains(answer, c.want) {
			t.Errorf("%s %s: %d %v %s", c.model, c.more, status, err, answer)
		}
	}
}
