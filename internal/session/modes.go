package session

import (
	"pollux/agent/route"
	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/guard/policy"
	"pollux/internal/records"
)

// Mode returns the approval mode. It may be called during a run.
func (s *Session) Mode() policy.Mode { return s.policy.Mode() }

// modeName returns the approval mode as prompts and protocols have it.
func (s *Session) modeName() string { return s.policy.Mode().String() }

// SetMode switches the approval mode, for the next call of a tool. It may be called
// during a run. The error says why the mode cannot be switched to.
func (s *Session) SetMode(m policy.Mode) error {
	if m == policy.Plan && !config.PlanEnabled.In(s.Project.Settings()) {
		return exit.Errorf(exit.Config, "Plan mode is disabled in your settings. To enable it, set general.plan.enabled to true.")
	}
	return s.switchMode(m)
}

func (s *Session) switchMode(m policy.Mode) error {
	before := s.modeName()
	if err := s.policy.SetMode(m); err != nil {
		return err
	}
	s.refresh()
	s.Observers.Records.Emit(records.ModeSwitched{From: before, To: s.modeName()})
	return nil
}

// setModeName switches the mode by its name, for the plan tools.
func (s *Session) setModeName(name string) error {
	m, err := policy.ParseMode(name)
	if err != nil {
		return err
	}
	return s.switchMode(m)
}

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
	case s.Mode() == policy.Plan:
		return route.Planning
	case s.Plan() != "":
		return route.Implementing
	}
	return route.NoPlan
}
