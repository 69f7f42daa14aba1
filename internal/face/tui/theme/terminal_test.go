package theme

import "testing"

func TestParseColorFGBG(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]Kind{
		"15;0": Dark, "0;15": Light, "12;8": Dark, "0;7": Light, "7;6": Dark, "0;9": Light, "15;default;0": Dark, "0;default;15": Light,
		"": Plain, "15": Plain, "15;": Plain, "15;default": Plain, "15;16": Plain, "15;-1": Plain, ";0": Dark,
	} {
		if got := parseColorFGBG(value); got != want {
			t.Errorf("%q: %v", value, got)
		}
	}
}
