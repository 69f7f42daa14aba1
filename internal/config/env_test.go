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

func TestFolderEnv(t *testing.T) {
	t.Parallel()
	user := NewEnv("A=user", "EMPTY=", "MY_PASSWORD=hunter22")
	e := NewFolderEnv(user, "A=project", "EMPTY=project", "B=true", "B_TOKEN=abcdefgh1234", "nonsense")
	for name, want := range map[string]string{"A": "user", "EMPTY": "", "B": "true", "NONE": ""} {
		if got := e.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if _, ok := e.Lookup("EMPTY"); !ok {
		t.Error("a variable without a value is not set")
	}
	if !e.True("B") || e.True("A") || e.First("NONE", "EMPTY", "B") != "true" {
		t.Error("True or First is wrong")
	}
	if e.IsSetByProject("A", "EMPTY", "NONE") || !e.IsSetByProject("NONE", "B") {
		t.Error("IsSetByProject is wrong")
	}
	if !e.Withholds("MY_PASSWORD") || e.Withholds("B_TOKEN") || e.Withholds("A") {
		t.Error("Withholds is wrong")
	}
	if e.User() != user || user.Get("B") != "" {
		t.Error("the user's environment was changed")
	}
	less := e.Without("B", "A")
	if got, want := less.OfProject(), []string{"B_TOKEN"}; !slices.Equal(got, want) || less.Get("A") != "user" || e.Get("B") == "" {
		t.Errorf("after Without, the project sets %q, want %q", got, want)
	}
	want := []string{"A=user", "B_TOKEN=abcdefgh1234", "EMPTY=", "MY_PASSWORD=hunter22"}
	if got := less.List(); !slices.Equal(got, want) {
		t.Errorf("List is %q, want %q", got, want)
	}
	if _, ok := (*FolderEnv)(nil).Lookup("A"); ok {
		t.Error("nil has a variable")
	}
}
