package project_test

import (
	"strings"
	"testing"

	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/guard/policy"
	"pollux/internal/guard/trust"
	"pollux/internal/project"
	"pollux/internal/project/projecttest"
)

// TestMode checks the mode to begin in: settings choose it, except for one that allows everything, and for plan mode
// where it is disabled.
func TestMode(t *testing.T) {
	t.Parallel()
	const (
		setting = string(config.DefaultApprovalMode)
		noYolo  = string(config.DisableYolo)
		then    = string(config.PlanThen)
	)
	for name, tt := range map[string]struct {
		flags     map[string]any
		asked     string
		untrusted bool
		person    bool
		want      policy.Mode
		code      exit.Code
		warning   string
	}{
		"default":                         {want: policy.Default},
		"plan":                            {asked: "plan", want: policy.Plan},
		"yolo":                            {asked: "yolo", want: policy.Yolo, warning: "YOLO mode is enabled."},
		"auto_edit":                       {asked: "auto_edit", want: policy.AutoEdit},
		"auto_edit of settings":           {flags: map[string]any{setting: "auto_edit"}, want: policy.AutoEdit},
		"the flag wins":                   {flags: map[string]any{setting: "auto_edit"}, asked: "default", want: policy.Default},
		"yolo of settings":                {flags: map[string]any{setting: "yolo"}, want: policy.Default},
		"plan is disabled":                {flags: map[string]any{string(config.PlanEnabled): false}, asked: "plan", want: policy.Default, warning: `Approval mode "plan" is disabled`},
		"yolo is disabled":                {flags: map[string]any{noYolo: true}, asked: "yolo", code: exit.Config},
		"untrusted":                       {asked: "yolo", untrusted: true, want: policy.Default, warning: "the current folder is not trusted"},
		"untrusted and plan":              {asked: "plan", untrusted: true, want: policy.Default, warning: "the current folder is not trusted"},
		"a plan without approval":         {flags: map[string]any{then: "auto_edit"}, asked: "plan", want: policy.Plan, warning: "Pollux carries out the plan without approval, in approval mode auto_edit"},
		"a plan that a person approves":   {flags: map[string]any{then: "auto_edit"}, asked: "plan", person: true, want: policy.Plan},
		"a plan is the answer":            {flags: map[string]any{then: "default"}, asked: "plan", want: policy.Plan},
		"a plan in yolo, which is denied": {flags: map[string]any{then: "yolo", noYolo: true}, asked: "plan", code: exit.Config},
		"no plan, and yolo is denied":     {flags: map[string]any{then: "yolo", noYolo: true}, want: policy.Default},
		"unknown":                         {asked: "wild", code: exit.General},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u := projecttest.NewUser(t)
			p, err := u.TryOpen(func(o *project.Options) {
				o.Flags, o.ApprovalMode, o.Folder, o.Interactive = tt.flags, tt.asked, trust.Trusted, tt.person
				if tt.untrusted {
					o.Folder = trust.Untrusted
				}
			})
			if exit.CodeOf(err) != tt.code || err == nil && p.Mode != tt.want {
				t.Fatalf("%+v, %v", p, err)
			}
			if text := u.TakeWarnings(); !strings.Contains(text, tt.warning) || tt.warning == "" && text != "" {
				t.Errorf("warnings: %s", text)
			}
		})
	}
}

// TestInitialMode checks the modes that a program asks for after the start.
func TestInitialMode(t *testing.T) {
	t.Parallel()
	u := projecttest.NewUser(t)
	p := u.Load(trusted, flag(string(config.DefaultApprovalMode), "auto_edit"))
	for name, want := range map[string]policy.Mode{"": policy.AutoEdit, "plan": policy.Plan, "yolo": policy.Yolo} {
		if got, err := p.InitialMode(name); got != want || err != nil {
			t.Errorf("%q: %v, %v", name, got, err)
		}
	}
	if _, err := p.InitialMode("wild"); exit.CodeOf(err) != exit.General {
		t.Error(err)
	}
	p.Trust.Set(trust.Untrusted)
	if got, err := p.InitialMode("yolo"); got != policy.Default || err != nil || !strings.Contains(u.TakeWarnings(), "not trusted") {
		t.Errorf("untrusted: %v, %v", got, err)
	}
}

// TestPlanThen checks the mode in which a plan is carried out.
func TestPlanThen(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{"": "", "default": "", "auto_edit": "autoEdit", "yolo": "yolo"} {
		p := projecttest.NewUser(t).Load(trusted, flag(string(config.PlanThen), value))
		if got := p.PlanThen(); got != want {
			t.Errorf("%q: %q", value, got)
		}
	}
}
