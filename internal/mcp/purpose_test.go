package mcp

import (
	"os"
	"testing"

	"pollux/internal/process"
)

func TestPurpose(t *testing.T) {
	t.Parallel()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		config Config
		origin process.Origin
		want   process.Origin
	}{
		{Config{}, "", process.OriginUser},
		{Config{}, process.OriginExtension, process.OriginExtension},
		{Config{Extension: "one"}, "", process.OriginExtension},
		{Config{IsProject: true}, process.OriginExtension, process.OriginProject},
		{Config{IsProject: true, Extension: "one"}, "", process.OriginProject},
	} {
		tt.config.Name, tt.config.Command = "docs", program
		p, err := newProgram(&tt.config, &Options{Origin: tt.origin})
		if err != nil || p.command.For != (process.Purpose{Kind: process.KindServer, Origin: tt.want, Name: "docs"}) {
			t.Errorf("%+v: %+v, %v", tt.config, p, err)
		}
	}
}
