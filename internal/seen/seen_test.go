package seen

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
)

func TestAdd(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "new", "state.json")
	if c, err := Read(path); err != nil || c.Of(Tips) != 0 {
		t.Errorf("a missing file: %v, %v", c, err)
	}
	for range 2 {
		if err := Add(path, Tips, Warning("colors")); err != nil {
			t.Fatal(err)
		}
	}
	if err := Add(path, Warning("screen")); err != nil {
		t.Fatal(err)
	}
	c, err := Read(path)
	if err != nil || c.Of(Tips) != 2 || c.Of(Warning("colors")) != 2 || c.Of(Warning("screen")) != 1 || c.Of(Tour) != 0 {
		t.Errorf("%v, %v", c, err)
	}
}

func TestFirst(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.json")
	for i, want := range []bool{true, false, false} {
		if got, err := First(path, Deletion); got != want || err != nil {
			t.Errorf("%d: %v, %v", i, got, err)
		}
	}
	write(t, path, "[]")
	if got, err := First(path, Deletion); !got || err == nil {
		t.Errorf("a damaged file: %v, %v", got, err)
	}
}

func TestKeepsForeignContent(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.json")
	write(t, path, `{"focusUiEnabled": true, "startupWarningCounts": {"other": 3}, "tipsShown": "many"}`)
	if err := Add(path, Tips, Warning("colors")); err != nil {
		t.Fatal(err)
	}
	const want = `{
  "focusUiEnabled": true,
  "startupWarningCounts": {
    "colors": 1,
    "other": 3
  },
  "tipsShown": 1
}`
	if data, err := os.ReadFile(path); string(data) != want {
		t.Errorf("%s, %v", data, err)
	}
}

func TestSet(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "new", "state.json")
	if c, _ := Read(path); c.Is(FocusUI) {
		t.Error("a missing file has a flag")
	}
	for _, want := range []bool{true, true, false} {
		if err := Set(path, FocusUI, want); err != nil {
			t.Fatal(err)
		}
		if err := Add(path, Tips); err != nil {
			t.Fatal(err)
		}
		if c, err := Read(path); err != nil || c.Is(FocusUI) != want {
			t.Errorf("%v, not %v: %v", c, want, err)
		}
	}
	if c, _ := Read(path); c.Of(Tips) != 3 {
		t.Error(c)
	}
	write(t, path, `{"focusUiEnabled": "yes"}`)
	if c, _ := Read(path); c.Is(FocusUI) {
		t.Error("a text is a flag")
	}
}

func TestBadFile(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "[1]", "{", `"text"`} {
		path := filepath.Join(t.TempDir(), "state.json")
		write(t, path, text)
		if c, err := Read(path); err == nil || c.Of(Tips) != 0 {
			t.Errorf("%q: %v, %v", text, c, err)
		}
		if err := Add(path, Tips); err == nil {
			t.Errorf("%q is replaced", text)
		}
		if data, err := os.ReadFile(path); string(data) != text {
			t.Errorf("%q, not %q: %v", data, text, err)
		}
	}
	path := filepath.Join(t.TempDir(), "state.json")
	write(t, path, `{"tipsShown": -5, "startupWarningCounts": 7}`)
	if c, err := Read(path); err != nil || c.Of(Tips) != 0 || c.Of(Warning("x")) != 0 {
		t.Errorf("%v, %v", c, err)
	}
}

func TestAddAtOnce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.json")
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if err := Add(path, Tips); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if c, err := Read(path); err != nil || c.Of(Tips) != 8 {
		t.Errorf("%v, %v", c, err)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
