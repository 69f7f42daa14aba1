package subagent

import (
	"encoding/json"
	"testing"

	"pollux/tool"
)

// TestForms checks that a report may be the arguments themselves, and that a refusal says all that is missing.
func TestForms(t *testing.T) {
	t.Parallel()
	const (
		report  = `{"SummaryOfFindings":"s","ExplorationTrace":[],"RelevantLocations":[{"FilePath":"a","Reasoning":"r"}]}`
		form    = `'report' is {SummaryOfFindings: string, ExplorationTrace: [string], RelevantLocations: [{FilePath: string, Reasoning: string, KeySymbols?: [string]}]}`
		missing = "Missing required argument 'report' for completion. params must have required property 'report'; " + form
	)
	for args, refused := range map[string]string{
		`{"report":` + report + `}`: "",
		report:                      "",
		`{}`:                        missing,
		`{"result":"text"}`:         missing + "; unknown: 'result'; known: 'report'",
		`{"SummaryOfFindings":"s","ExplorationTrace":[]}`: missing + "; unknown: 'ExplorationTrace', 'SummaryOfFindings'; known: 'report'",
		`{"report":"text"}`:                                "params/report must be object: {SummaryOfFindings: string, ExplorationTrace: [string], RelevantLocations: [{FilePath: string, Reasoning: string, KeySymbols?: [string]}]}",
		`{"report":{"SummaryOfFindings":"s"}}`:             "params/report must have required properties 'ExplorationTrace', 'RelevantLocations'; 'RelevantLocations' is [{FilePath: string, Reasoning: string, KeySymbols?: [string]}]",
		`{"report":` + report + `,"SummaryOfFindings":""}`: "",
	} {
		c := NewCompletion(investigator().Output)
		inv, err := tool.Build(c, json.RawMessage(args))
		switch {
		case refused != "":
			if err == nil || err.Error() != refused {
				t.Errorf("%s\n got %v\nwant %s", args, err, refused)
			}
		case err != nil:
			t.Errorf("%s: %v", args, err)
		default:
			inv.Run(t.Context(), tool.Host{})
			if got, done := c.Result(); !done || got != indented(json.RawMessage(report)) {
				t.Errorf("%s: %s", args, got)
			}
		}
	}
}
