package theme

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// gray returns the color of a background with about this luminance.
func gray(luminance float64) string {
	for _, c := range []string{"000", "aeaeae", "b0b0b0", "b4b4b4", "c2c2c2", "c6c6c6", "fff"} {
		if Luminance(hex(c)) >= luminance {
			return c
		}
	}
	return "fff"
}

func TestDefaultTheme(t *testing.T) {
	t.Parallel()
	dark, light, between := gray(0), gray(141), gray(111)
	for _, tt := range []struct {
		why  string
		r    Request
		want string
	}{
		{"nothing known", Request{}, DefaultDark},
		{"black", Request{Background: hex(dark)}, DefaultDark},
		{"white", Request{Background: hex("fff")}, DefaultLight},
		{"just light", Request{Background: hex(light)}, DefaultLight},
		{"just between", Request{Background: hex(gray(135))}, DefaultDark},
		{"between", Request{Background: hex(between)}, DefaultDark},
		{"between, dark before", Request{Background: hex(between), Current: DefaultDark, AutoSwitch: true}, DefaultDark},
		{"between, light before", Request{Background: hex(between), Current: DefaultLight, AutoSwitch: true}, DefaultLight},
		{"below between, light before", Request{Background: hex("aeaeae"), Current: DefaultLight, AutoSwitch: true}, DefaultDark},
		{"between, light set", Request{Background: hex(between), Name: DefaultLight, AutoSwitch: true}, DefaultLight},
		{"between, light set, dark before", Request{Background: hex(between), Name: DefaultLight, Current: DefaultDark, AutoSwitch: true}, DefaultDark},
		{"between, another before", Request{Background: hex(between), Current: "Ayu Light", AutoSwitch: true}, DefaultDark},
		{"switched", Request{Background: hex("fff"), Current: DefaultDark, AutoSwitch: true}, DefaultLight},
		{"not switched", Request{Background: hex("fff"), Current: DefaultDark}, DefaultDark},
		{"not switched, another before", Request{Background: hex("fff"), Current: "Ayu"}, DefaultLight},
		{"set, switched", Request{Name: DefaultDark, Background: hex("fff"), AutoSwitch: true}, DefaultLight},
		{"set, switched back", Request{Name: DefaultLight, Background: hex("000"), AutoSwitch: true}, DefaultDark},
		{"set, not switched", Request{Name: DefaultDark, Background: hex("fff")}, DefaultDark},
		{"set, not switched, not light", Request{Name: DefaultLight, Background: hex("000")}, DefaultLight},
		{"another set", Request{Name: "Ayu", Background: hex("fff"), AutoSwitch: true, Current: DefaultDark}, "Ayu"},
		{"set, unknown background", Request{Name: DefaultLight, AutoSwitch: true}, DefaultLight},
		{"set, COLORFGBG", Request{Name: DefaultDark, AutoSwitch: true, ColorFGBG: "0;15"}, DefaultDark},
		{"COLORFGBG", Request{ColorFGBG: "0;15"}, DefaultLight},
		{"COLORFGBG and background", Request{ColorFGBG: "0;15", Background: hex("000")}, DefaultDark},
		{"COLORFGBG, switched before", Request{ColorFGBG: "0;15", Current: DefaultDark, AutoSwitch: true}, DefaultDark},
		{"report", Request{Scheme: Light}, DefaultLight},
		{"report over background", Request{Scheme: Light, Background: hex("000")}, DefaultLight},
		{"report over COLORFGBG", Request{Scheme: Dark, ColorFGBG: "0;15"}, DefaultDark},
		{"report, not switched", Request{Scheme: Light, Current: DefaultDark}, DefaultDark},
		{"white in tmux", Request{Background: hex("fff"), InTmux: true}, DefaultDark},
		{"light in tmux", Request{Background: hex("fefefe"), InTmux: true}, DefaultLight},
		{"NO_COLOR", Request{Name: "Ayu", HasNoColor: true, Background: hex("000")}, PlainName},
		{"NO_COLOR, unknown theme", Request{Name: "none", HasNoColor: true}, PlainName},
	} {
		got, warnings := Choose(tt.r)
		if got.Name != tt.want || warnings != nil {
			t.Errorf("%s: %q %q, want %q", tt.why, got.Name, warnings, tt.want)
		}
	}
}

func TestIsMissing(t *testing.T) {
	t.Parallel()
	for _, r := range []Request{{}, {Name: " "}, {Name: "Default", AutoSwitch: true}, {Name: "none", HasNoColor: true}, {Name: "Ayu"}} {
		if r.IsMissing() {
			t.Errorf("%+v", r)
		}
	}
}

// TestThresholds checks that the backgrounds of the tests are where their names say.
func TestThresholds(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		color    string
		min, max float64
	}{{"aeaeae", 105, 110}, {"b0b0b0", 110, 112}, {"b4b4b4", 112, 128}, {"c2c2c2", 135, 140}, {"c6c6c6", 140, 145}} {
		if l := Luminance(hex(tt.color)); l < tt.min || l > tt.max {
			t.Errorf("%s: %.2f", tt.color, l)
		}
	}
}

func TestChoose(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	if err := os.WriteFile(filepath.Join(home, "sea.json"), []byte(`{"name":"Sea"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	r := Request{
		Home: home, Dir: filepath.Join(home, "project"),
		Custom: map[string]any{
			"Mine": map[string]any{"name": "Other", "Gray": "nope"}, "Ayu": map[string]any{}, "Bad": 7, "X (e)": map[string]any{"Gray": "111"},
			"\x1b[1mBold": map[string]any{},
		},
		Extensions: []Extension{
			{Name: "e", Themes: []any{"bad", map[string]any{}, map[string]any{"name": strings.Repeat("n", 50)}, map[string]any{"name": "X"}}},
			{Name: "f", Themes: []any{map[string]any{"name": "X", "Gray": "222"}, map[string]any{"name": strings.Repeat("m", 51)}}},
		},
	}
	const gap = "afafaf"
	for _, tt := range []struct{ name, want, secondary, warn string }{
		{" Dracula ", "Dracula", "6272a4", ""},
		{"Ayu", "Ayu", "3d4149", ""},
		{"Mine", "Mine", gap, `Theme "Mine": Gray is "nope", which is not a color.`},
		{"Bold", "Bold", gap, ""},
		{"X (e)", "X (e)", "111111", ""},
		{"X (f)", "X (f)", "222222", ""},
		{strings.Repeat("n", 50) + " (e)", strings.Repeat("n", 50) + " (e)", gap, ""},
		{strings.Repeat("m", 51) + " (f)", DefaultDark, gap, `Theme "` + strings.Repeat("m", 51) + ` (f)" not found.|Theme "` + strings.Repeat("m", 51) + ` (f)": its name is longer than 50 characters.`},
		{filepath.Join(home, "sea.json"), "Sea", gap, ""},
		{"~/sea.json", "Sea", gap, ""},
		{"../sea.json", "Sea", gap, ""},
		{"./none", DefaultDark, gap, `Theme "./none" not found.|…`},
		{"none.json", DefaultDark, gap, `Theme "none.json" not found.|…`},
		{"None", DefaultDark, gap, `Theme "None" not found.`},
		{"\x1b[31mNone\n", DefaultDark, gap, `Theme "None" not found.`},
		{"NoColor", DefaultDark, gap, `Theme "NoColor" not found.`},
		{"Other", DefaultDark, gap, `Theme "Other" not found.`},
		{" (e)", DefaultDark, gap, `Theme "(e)" not found.`},
		{"drakula", DefaultDark, gap, `Theme "drakula" not found. Did you mean "Dracula"?`},
		{"ayu", DefaultDark, gap, `Theme "ayu" not found. Did you mean "Ayu"?`},
		{"X (g)", DefaultDark, gap, `Theme "X (g)" not found. Did you mean "X (e)"?`},
		{"Bad", DefaultDark, gap, `Theme "Bad" not found.|Theme "Bad": it is not a JSON object.`},
	} {
		r.Name = tt.name
		got, warnings := Choose(r)
		if r.IsMissing() != strings.Contains(tt.warn, "not found") {
			t.Errorf("%q: is missing: %t", tt.name, r.IsMissing())
		}
		all := strings.Join(warnings, "|")
		if before, ok := strings.CutSuffix(tt.warn, "…"); ok && strings.HasPrefix(all, before) && len(all) > len(before) {
			all = tt.warn
		}
		if got.Name != tt.want || digits(got.Colors.Secondary) != tt.secondary || all != tt.warn {
			t.Errorf("%q: %q %s %q", tt.name, got.Name, digits(got.Colors.Secondary), warnings)
		}
	}
}

// TestChooseAdapts checks that the background of the terminal decides on the boxes, and on the replacement of an
// unknown theme.
func TestChooseAdapts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		r           Request
		name, input string
	}{
		{Request{Name: "None", Background: hex("fff")}, DefaultLight, "d9d9d9"},
		{Request{Name: "Ayu", Background: hex("000")}, "Ayu", "0f1012"},
		{Request{Name: "Ayu", Background: hex("fff")}, "Ayu", "-"},
		{Request{Name: "Ayu"}, "Ayu", "171a21"},
		{Request{}, DefaultDark, "5f5f5f"},
		{Request{Background: hex("000")}, DefaultDark, "2a2a2a"},
		{Request{Background: hex("fff"), InTmux: true}, DefaultDark, "5f5f5f"},
	} {
		if got, _ := Choose(tt.r); got.Name != tt.name || digits(got.Colors.Input) != tt.input {
			t.Errorf("%+v: %q %s", tt.r, got.Name, digits(got.Colors.Input))
		}
	}
}

func TestCustomThemes(t *testing.T) {
	t.Parallel()
	r := Request{
		Custom:     map[string]any{"b": map[string]any{}, "a": map[string]any{"Background": "fff"}, "c": 1},
		Extensions: []Extension{{Name: "e", Themes: []any{map[string]any{"name": "Night"}, map[string]any{}}}},
	}
	themes, warnings := r.CustomThemes()
	var names []string
	for _, th := range themes {
		names = append(names, th.Name+"/"+th.Kind.String())
	}
	if got := strings.Join(names, ", "); got != "a/light, b/dark, Night (e)/dark" {
		t.Error(got)
	}
	if got := strings.Join(warnings, "|"); got != `Theme "c": it is not a JSON object.|Extension "e": a theme has no name.` {
		t.Error(got)
	}
}
