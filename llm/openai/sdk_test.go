//go:build sdk

package openai

import (
	"encoding/json"
	"fmt"
	"testing"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/responses"
)

// TestSDKReads checks that OpenAI's SDK types represent every request without
// loss.
func TestSDKReads(t *testing.T) {
	t.Parallel()
	for p, params := range map[Protocol]any{Chat: new(sdk.ChatCompletionNewParams), Responses: new(responses.ResponseNewParams)} {
		body := bodyOf(t, fitTraits(p, Quirks{}), fullRequest())
		if err := json.Unmarshal([]byte(body), params); err != nil {
			t.Fatal(err)
		}
		again, err := json.Marshal(params)
		if err != nil {
			t.Fatal(err)
		}
		var sent, read map[string]any
		if json.Unmarshal([]byte(body), &sent) != nil || json.Unmarshal(again, &read) != nil {
			t.Fatal("not JSON")
		}
		delete(sent, "stream") // the SDK sets it by method
		checkContains(t, "body", sent, read)
	}
}

// checkContains checks that b contains everything in a.
func checkContains(t *testing.T, at string, a, b any) {
	t.Helper()
	switch a := a.(type) {
	case map[string]any:
		m, _ := b.(map[string]any)
		for k, v := range a {
			if v == nil {
				continue
			}
			if _, ok := m[k]; !ok {
				t.Errorf("%s.%s is lost: %v", at, k, v)
				continue
			}
			checkContains(t, at+"."+k, v, m[k])
		}
	case []any:
		l, _ := b.([]any)
		if len(l) != len(a) {
			t.Errorf("%s has %d elements of %d", at, len(l), len(a))
			return
		}
		for i := range a {
			checkContains(t, fmt.Sprintf("%s[%d]", at, i), a[i], l[i])
		}
	default:
		if fmt.Sprint(a) != fmt.Sprint(b) {
			t.Errorf("%s is %v, was %v", at, b, a)
		}
	}
}
