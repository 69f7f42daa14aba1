package telemetry

import (
	"pollux/internal/records"
)

func (t *Telemetry) editMade(r records.EditMade) {
	t.event("edit_strategy", "", "The place of an edit was found: "+r.Strategy, attrs{{"strategy", r.Strategy}})
}

func (t *Telemetry) editCorrected(r records.EditCorrected) {
	result := "failure"
	if r.Success {
		result = "success"
	}
	t.event("edit_correction", "", "An edit was corrected: "+result, attrs{{"correction", result}})
}

func (t *Telemetry) webFetchFellBack(r records.WebFetchFellBack) {
	t.event("web_fetch_fallback_attempt", "", "Pages are not read by the vendor: "+r.Reason, attrs{{"reason", r.Reason}})
}

func (t *Telemetry) ripgrepMissing() {
	t.event("ripgrep_fallback", "", "Searching without ripgrep: it was not found", attrs{{"error", "ripgrep was not found"}})
}
