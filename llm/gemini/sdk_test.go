//go:build sdk

package gemini

import (
	"encoding/json"
	"strings"
	"testing"

	"google.golang.org/genai"

	"pollux/llm"
)

func init() {
	sdkReads = func(sent string) error {
		var body struct{ Contents []*genai.Content }
		return json.Unmarshal([]byte(forSDK(sent)), &body)
	}
}

// sdkBody is a request in the types of the vendor's SDK.
type sdkBody struct {
	Contents          []*genai.Content       `json:"contents"`
	SystemInstruction *genai.Content         `json:"systemInstruction"`
	Tools             []*genai.Tool          `json:"tools"`
	ToolConfig        *genai.ToolConfig      `json:"toolConfig"`
	SafetySettings    []*genai.SafetySetting `json:"safetySettings"`
	CachedContent     string                 `json:"cachedContent"`
	Labels            map[string]string      `json:"labels"`
	// Its settings have the names that they have on the wire.
	GenerationConfig *genai.GenerateContentConfig `json:"generationConfig"`
}

// TestBodyDecodesInSDK checks that a body decodes into the types of the vendor's SDK
// without loss.
func TestBodyDecodesInSDK(t *testing.T) {
	t.Parallel()
	req := fullRequest()
	req.Config.Seed, req.Config.Temperature, req.Config.Thinking = new(7), new(0.25), &llm.Thinking{Level: "HIGH"}
	sent := forSDK(bodyOf(t, (&Client{endpoint: endpoint{vertex: true}}).generateBody(req, refusals{})))
	var sdk sdkBody
	d := json.NewDecoder(strings.NewReader(sent))
	d.DisallowUnknownFields()
	if err := d.Decode(&sdk); err != nil {
		t.Fatalf("%v\n%s", err, sent)
	}
	var ours, theirs map[string]any
	if err := json.Unmarshal([]byte(sent), &ours); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(show(sdk)), &theirs); err != nil {
		t.Fatal(err)
	}
	contained(t, "body", ours, theirs)
}

// forSDK rewrites the placeholder signature in the base64 alphabet that the SDK
// accepts. The service accepts both.
func forSDK(sent string) string {
	return strings.ReplaceAll(sent, placeholderSignature, strings.ReplaceAll(placeholderSignature, "_", "/"))
}

// contained checks that b contains all of a.
func contained(t *testing.T, at string, a, b any) {
	t.Helper()
	switch a := a.(type) {
	case map[string]any:
		m, _ := b.(map[string]any)
		for k, v := range a {
			if _, ok := m[k]; !ok && show(v) != "{}" {
				t.Errorf("%s.%s is lost: %s", at, k, show(v))
				continue
			}
			contained(t, at+"."+k, v, m[k])
		}
	case []any:
		l, _ := b.([]any)
		if len(l) != len(a) {
			t.Errorf("%s has %d elements of %d", at, len(l), len(a))
			return
		}
		for i := range a {
			contained(t, at+"[]", a[i], l[i])
		}
	default:
		if show(a) != show(b) {
			t.Errorf("%s is %s, was %s", at, show(b), show(a))
		}
	}
}
