package guard

import (
	"encoding/json"
	"testing"
)

// Any call may have wait_for_previous. Only a tool that declares it gets it.
func TestDropWait(t *testing.T) {
	t.Parallel()
	const schema = `{"type":"object","properties":{"a":{}}}`
	for _, c := range []struct{ schema, args, want string }{
		{schema, `{"a":1}`, `{"a":1}`},
		{schema, `{"a": 1, "wait_for_previous": true}`, `{"a":1}`},
		{schema, `{"wait_for_previous":"no","b":{"wait_for_previous":[1]},"a":"\u00fc"}`, `{"b":{"wait_for_previous":[1]},"a":"\u00fc"}`},
		{schema, `{"a":1,"wait\u005ffor_previous":true,"wait_for_previous":false}`, `{"a":1}`},
		{schema, `{"wait_for_previous":true}`, `{}`},
		{schema, `{"a":"wait_for_previous"}`, `{"a":"wait_for_previous"}`},
		{schema, `{"wait_for_previous":`, `{"wait_for_previous":`},
		{schema, `["wait_for_previous"]`, `["wait_for_previous"]`},
		{schema, `{"wait_for_previous":1} {}`, `{"wait_for_previous":1} {}`},
		{`{"properties":{"wait_for_previous":{"type":"string"}}}`, `{"wait_for_previous":"x"}`, `{"wait_for_previous":"x"}`},
	} {
		if got := string(dropWait(json.RawMessage(c.schema), json.RawMessage(c.args))); got != c.want {
			t.Errorf("%s: got %s, want %s", c.args, got, c.want)
		}
	}
}
