package acp_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
)

// schemas validates messages: with rules of its own, and with the published schema, if it lies beside the checkout.
type schemas struct {
	text []byte // nil without it

	mu       sync.Mutex
	resolved map[string]*jsonschema.Resolved
}

// published reads the published schema once for all tests: tests check a hundred types of it.
var published = sync.OnceValues(func() (*schemas, error) {
	data, err := os.ReadFile("../../../../shared/wire/acp.json")
	return &schemas{text: data, resolved: map[string]*jsonschema.Resolved{}}, err
})

func loadSchemas(t *testing.T) *schemas {
	t.Helper()
	s, err := published()
	if err != nil {
		t.Logf("NOT CHECKED against the published schema: %v", err)
	}
	return s
}

// check validates a message. "" is a type that the published schema does not have.
func (s *schemas) check(t *testing.T, name string, v map[string]any) {
	t.Helper()
	checkWords(t, v)
	if name == "" || s.text == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.resolved[name]
	if r == nil {
		doc := new(jsonschema.Schema)
		if err := json.Unmarshal(s.text, doc); err != nil {
			t.Fatal(err)
		}
		doc.Ref, doc.AnyOf = "#/$defs/"+name, nil
		var err error
		if r, err = doc.Resolve(nil); err != nil {
			t.Fatal(err)
		}
		s.resolved[name] = r
	}
	if err := r.Validate(any(v)); err != nil {
		data, _ := json.Marshal(v)
		t.Errorf("%s: %v\n%.2000s", name, err, data)
	}
}

// The words of the protocol, by the names of the fields. Clients refuse others.
var words = map[string][]string{
	"sessionUpdate": {
		"user_message_chunk", "agent_message_chunk", "agent_thought_chunk", "tool_call", "tool_call_update", "plan", "available_commands_update",
		"current_mode_update", "config_option_update", "session_info_update", "usage_update",
	},
	"status":     {"pending", "in_progress", "completed", "failed"},
	"stopReason": {"end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled"},
	"priority":   {"high", "medium", "low"},
}

// The kinds of tools and of answers.
var (
	toolKinds   = []string{"read", "edit", "delete", "move", "search", "execute", "think", "fetch", "switch_mode", "other"}
	answerKinds = []string{"allow_once", "allow_always", "reject_once", "reject_always"}
)

// checkWords checks the words in a message, and that calls have ids.
func checkWords(t *testing.T, v any) {
	t.Helper()
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			checkWords(t, item)
		}
	case map[string]any:
		for name, item := range v {
			word, isWord := item.(string)
			if known := words[name]; isWord && known != nil && !slices.Contains(known, word) {
				t.Errorf("%s is %q", name, word)
			}
			if name != "_meta" && name != "rawInput" && name != "rawOutput" {
				checkWords(t, item)
			}
		}
		kind, hasKind := v["kind"].(string)
		id, isCall := v["toolCallId"].(string)
		switch {
		case isCall && (id == "" || hasKind && !slices.Contains(toolKinds, kind)):
			t.Errorf("a call has the id %q and the kind %q", id, kind)
		case !isCall && hasKind && v["optionId"] != nil && !slices.Contains(answerKinds, kind):
			t.Errorf("an answer has the kind %q", kind)
		}
		for _, place := range []string{"path", "cwd"} {
			if path, ok := v[place].(string); ok && !filepath.IsAbs(path) && v["message"] == nil {
				t.Errorf("%s is not absolute: %q", place, path)
			}
		}
	}
}
