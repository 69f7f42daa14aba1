package config

import (
	"slices"
	"testing"
)

func TestEnv(t *testing.T) {
	t.Parallel()
	e := NewEnv("A=1", "B=", "A=2", "nonsense", "=C:=x", "T=true", "")
	if v, ok := e.Lookup("A"); v != "1" || !ok {
		t.Errorf("A is %q, %v", v, ok)
	}
	if v, ok := e.Lookup("B"); v != "" || !ok {
		t.Errorf("B is %q, %v", v, ok)
	}
	if _, ok := e.Lookup("nonsense"); ok {
		t.Error("a pair without = is set")
	}
	if !e.True("T") || e.True("A") || e.First("NONE", "B", "T") != "true" {
		t.Error("True or First is wrong")
	}
	more := e.With("A=3", "D=4")
	if e.Get("A") != "1" || e.Get("D") != "" {
		t.Error("With changed the environment itself")
	}
	want := []string{"=C:=x", "A=3", "B=", "D=4", "T=true"}
	if got := more.List(); !slices.Equal(got, want) {
		t.Errorf("List is %q, want %q", got, want)
	}
	if got := Environ().Get("PATH"); got == "" {
		t.Error("the process's own environment is empty")
	}
}
