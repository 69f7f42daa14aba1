package tool

import "testing"

func TestResultText(t *testing.T) {
	t.Parallel()
	for result, want := range map[string]string{
		"Plain text.":                      "Plain text.",
		"":                                 "",
		"{broken":                          "{broken",
		`["a"]`:                            `["a"]`,
		`{"response": "Done.\nAll of it"}`: "Done.\nAll of it",
		`{"SummaryOfFindings": "It fails.\nHere.", "ExplorationTrace": ["one", "two\nlines"], "RelevantLocations": [{"FilePath": "a.go", "Reasoning": "why", "KeySymbols": ["A", "B"]}], "key_count": 3, "empty": "", "none": []}`: "Summary of findings:\nIt fails.\nHere.\n\n" +
			"Exploration trace:\n- one\n- two lines\n\nRelevant locations:\n- a.go: why: A, B\n\nKey count: 3",
	} {
		d := &AgentDisplay{Result: result}
		if got := d.ResultText(); got != want {
			t.Errorf("%s: %q, want %q", result, got, want)
		}
	}
}
