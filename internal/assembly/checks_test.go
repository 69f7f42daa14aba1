package assembly

import (
	"reflect"
	"testing"

	"pollux/internal/guard/trust"
	"pollux/internal/process"
	"pollux/internal/project"
	"pollux/internal/project/projecttest"
)

// TestCheckSetting checks whose programs count. A project's never do.
func TestCheckSetting(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		user, project string
		want          any
		by            process.Origin
	}{
		{"{}", "{}", nil, process.OriginUser},
		{`{"pollux": {"check": false}}`, `{"pollux": {"check": {"go": "evil"}}}`, false, process.OriginUser},
		{"{}", `{"pollux": {"check": {"go": "evil"}}}`, nil, process.OriginUser},
		{"{}", `{"pollux": {"check": false}}`, nil, process.OriginUser},
		{`{"pollux": {"check": {"go": "mine"}, "trustProjectSafety": true}}`, `{"pollux": {"check": {"go": "evil", "py": "evil"}}}`, map[string]any{"go": "mine"}, process.OriginUser},
	} {
		u := projecttest.NewUser(t)
		u.Write("~/.gemini/settings.json", tt.user)
		u.Write(".gemini/settings.json", tt.project)
		p := u.Load(func(o *project.Options) { o.Folder = trust.Trusted })
		u.TakeWarnings()
		if got, by := checkSetting(p.Settings()); !reflect.DeepEqual(got, tt.want) || by != tt.by {
			t.Errorf("%+v: got %v by %s", tt, got, by)
		}
	}
}
