package hook

import (
	"testing"

	"pollux/internal/process"
)

func TestPurpose(t *testing.T) {
	t.Parallel()
	st := open(t, Options{})
	for source, want := range map[Source]process.Origin{
		SystemDefaults: process.OriginSystem, User: process.OriginUser, Workspace: process.OriginProject,
		System: process.OriginSystem, Extensions: process.OriginExtension,
	} {
		c, err := st.command(&Hook{Name: "lint", Command: "true", Source: source})
		if err != nil || c.For != (process.Purpose{Kind: process.KindHook, Origin: want, Name: "lint"}) {
			t.Errorf("%s: %+v, %v", source, c, err)
		}
	}
}
