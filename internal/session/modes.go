package session

import (
	"pollux/agent/route"
	"pollux/internal/guard/policy"
	"pollux/internal/records"
)

// Plan returns the path of the plan that was approved last, "" if none was.
func (s *Session) Plan() string { return s.plans.Approved() }

// approvePlan notes the plan that is carried out from now on.
func (s *Session) approvePlan(path string) {
	s.plans.Approve(path)
	s.instruction.Refresh()
	s.Observers.Records.Emit(records.PlanApproved{})
}

// planStage tells the router where the session stands with a plan.
func (s *Session) planStage() route.Stage {
	switch {
	case s.Rulebook.Mode() == policy.Plan:
		return route.Planning
	case s.Plan() != "":
		return route.Implementing
	}
	return route.NoPlan
}
