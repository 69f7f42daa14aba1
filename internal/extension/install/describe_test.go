package install

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestDescribePolicies checks that the JSON of an extension has its policy rules and its safety checkers.
func TestDescribePolicies(t *testing.T) {
	t.Parallel()
	m, _ := newManager(t)
	e := mustInstall(t, m, source(t, map[string]string{
		"gemini-extension.json": `{"name": "guard", "version": "1.0.0"}`,
		"policies/a.toml": "[[rule]]\ntoolName = \"write_file\"\ndecision = \"deny\"\npriority = 7\n\n" +
			"[[safety_checker]]\ntoolName = \"replace\"\npriority = 5\n[safety_checker.checker]\ntype = \"in-process\"\nname = \"allowed-path\"\n" +
			"[safety_checker.checker.config]\nincluded_args = [\"where\"]\n",
	}), Options{HasConsent: true})
	data, err := json.Marshal(m.DescribeJSON(e))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"rules":[{"decision":"deny","tools":["write_file"]`, `"checkers":[{"tools":["replace"]`, `"type":"in-process","name":"allowed-path","includedArgs":["where"]`} {
		if !strings.Contains(string(data), want) {
			t.Errorf("no %s in %s", want, data)
		}
	}
}
