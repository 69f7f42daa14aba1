package profile

import (
	"path/filepath"
	"regexp"
	"slices"
)

// settings are files without which programs fail or do something else, by their names, with the pattern of a secret in them. They are secrets only while they hold one.
var settings = []struct{ file, secret string }{
	{"gradle.properties", `(?i)key|token|pass|pwd|secret|auth|credential|signing|://[^/\s]+@`},
	{".yarnrc.yml", `(?i)auth|token|password|://[^/\s]+@`},
	{"pip.conf", `(?i)password|token|://[^/\s]+@`},
	{"NuGet.Config", `(?i)credential|password|apikey|token|://[^/\s]+@`},
	{"auth.json", `:\s*"`}, // of Composer: any value
	{"auth.toml", `=`},     // of Poetry: any value
}

// isHarmless reports whether a path is one of settings that hold no secret.
func isHarmless(path string) bool {
	i := slices.IndexFunc(settings, func(s struct{ file, secret string }) bool { return s.file == filepath.Base(path) })
	if i < 0 {
		return false
	}
	text, err := readSettings(path)
	return err == nil && !regexp.MustCompile(settings[i].secret).Match(text)
}
