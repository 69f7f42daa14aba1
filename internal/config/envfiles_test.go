package config

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The report about .env files agrees with their effect.
func TestEnvFiles(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "SET=process")
	top := filepath.Dir(p.home)
	below := filepath.Join(p.work, "below")
	mkdir(t, filepath.Join(below, ".env"))
	write(t, filepath.Join(p.work, ".gemini", ".env"), "GEMINI_API_KEY=k\n\nwhat is this\nSET=file\n# c\nHOME=/elsewhere\n  neither this\nB=2")
	write(t, filepath.Join(p.work, ".env"), "A=1")
	write(t, filepath.Join(p.home, ".env"), "A=1")
	p.work = below
	for trusted, want := range map[bool][]EnvFile{
		true: {
			{Path: "work/below/.env", State: "it is a directory"},
			{
				Path: "work/.gemini/.env", State: "read",
				Set: []string{"B", "GEMINI_API_KEY"}, AlreadySet: []string{"SET"}, Forbidden: []string{"HOME"}, InvalidLines: []int{3, 7},
			},
			{Path: "work/.env", State: "another one comes first"},
			{Path: "home/.env", State: "another one comes first"},
		},
		false: {
			{Path: "work/below/.env", State: "it is a directory"},
			{Path: "work/.gemini/.env", State: "this folder is not trusted"},
			{Path: "work/.env", State: "read", Forbidden: []string{"A"}},
			{Path: "home/.env", State: "another one comes first"},
		},
	} {
		s := &Settings{trust: trusted}
		got := EnvFiles(p.env, s, p.paths())
		for i := range got {
			if (got[i].Err != nil) != (got[i].State == "it is a directory") {
				t.Error(got[i].Path, got[i].Err)
			}
			got[i].Path, got[i].Err = relative(t, top, got[i].Path), nil
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("trusted %v (-want +got):\n%s", trusted, diff)
		}
		env, _ := new(DotEnv).Extend(p.env, s, p.paths())
		for _, f := range got {
			if has := env.Get("B") != ""; f.State == "read" && has != slices.Contains(f.Set, "B") {
				t.Errorf("trusted %v: the report and the effect differ", trusted)
			}
		}
	}
}

func relative(t *testing.T, top, path string) string {
	t.Helper()
	rel, err := filepath.Rel(top, path)
	if err != nil {
		t.Fatal(err)
	}
	return filepath.ToSlash(rel)
}

// Checks get the readable settings, and errors about the others.
func TestLoadBroken(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	write(t, filepath.Join(p.home, ".gemini", "settings.json"), "{\n  \"model\": }")
	write(t, filepath.Join(p.work, ".gemini", "settings.json"), `{"model": {"name": "theirs"}}`)
	if _, _, err := p.load(); err == nil {
		t.Fatal("a run goes on with a broken file")
	}
	var broken []string
	s, _, err := Load(Sources{Paths: p.paths(), Env: p.env, OnBroken: func(scope Scope, path string, err error) {
		broken = append(broken, scope.String()+" "+filepath.Base(path)+": "+err.Error())
	}})
	if err != nil || ModelName.In(s) != "theirs" {
		t.Fatal(err, ModelName.In(s))
	}
	if len(broken) != 1 || broken[0][:len("user settings.json: line 2")] != "user settings.json: line 2" {
		t.Error(broken)
	}
}
