package profile_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pollux/internal/sandbox"
	"pollux/internal/sandbox/profile"
)

// TestCaches checks that all caches of a program that is there are made, where variables say, and none of others.
func TestCaches(t *testing.T) {
	t.Parallel()
	dir := home(t, "project/gradlew", "cache/x", ".cargo/bin/tool", ".gradle/init.d/x.gradle")
	env := map[string]string{"XDG_CACHE_HOME": filepath.Join(dir, "cache"), "CARGO_HOME": filepath.Join(dir, ".cargo")}
	place := profile.Place{
		Dirs: []string{filepath.Join(dir, "project")}, Homes: []string{dir}, Env: func(name string) string { return env[name] },
		HasProgram: func(name string) bool { return name == "go" || name == "cargo" },
	}
	place.CreateCaches()
	p := profile.Make(place)
	for name, want := range map[string]sandbox.Verdict{
		"cache/go-build/x": sandbox.MayChange, "go/pkg/x": sandbox.MayChange, ".cargo/registry/x": sandbox.MayChange, ".cargo/git/x": sandbox.MayChange,
		".gradle/caches/x": sandbox.MayChange, ".gradle/daemon/x": sandbox.MayChange, ".gradle/.tmp/x": sandbox.MayChange,
		".cargo/bin/tool": sandbox.MayRead, ".cargo/config.toml": sandbox.MayRead, ".gradle/init.d/x.gradle": sandbox.MayRead, "go/bin/tool": sandbox.MayRead,
		".cache/go-build/x": sandbox.MayRead, "cache/x": sandbox.MayRead, ".npm/x": sandbox.MayRead,
	} {
		if got, because := p.Judge(filepath.Join(dir, name)); got != want {
			t.Errorf("%s: %v because of %q, want %v", name, got, because, want)
		}
	}
}

// TestSettings checks that settings which programs cannot do without are hidden only while they hold a secret.
func TestSettings(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]struct{ plain, secret string }{
		".gradle/gradle.properties":  {"org.gradle.jvmargs=-Xmx2g\nandroid.useAndroidX=true\n", "gpr.key=ghp_x"},
		".yarnrc.yml":                {"nodeLinker: node-modules\n", "npmAuthToken: x"},
		".config/pip/pip.conf":       {"[global]\nindex-url = https://example.org/simple\n", "index-url = https://u:p@example.org/simple"},
		".nuget/NuGet/NuGet.Config":  {`<add key="nuget.org" value="https://api.nuget.org/v3/index.json" />`, "<packageSourceCredentials>"},
		".config/composer/auth.json": {`{"http-basic": {}}`, `{"github-oauth": {"github.com": "x"}}`},
	} {
		dir := home(t, name)
		for text, want := range map[string]sandbox.Verdict{"": sandbox.MayRead, text.plain: sandbox.MayRead, text.secret: sandbox.Hidden} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			p := profile.Make(profile.Place{Homes: []string{dir}, Env: func(string) string { return "" }, HasProgram: func(string) bool { return false }})
			if got, _ := p.Judge(filepath.Join(dir, name)); got != want {
				t.Errorf("%s with %q: %v, want %v", name, text, got, want)
			}
		}
	}
}

// TestDevices checks that programs get devices that compute, and none that lead to disks, keyboards, screens, cameras and memory.
func TestDevices(t *testing.T) {
	t.Parallel()
	p := profile.Make(profile.Place{Homes: []string{"/nowhere"}, Env: func(string) string { return "" }, HasProgram: func(string) bool { return false }})
	for _, path := range p.Devices {
		for _, no := range []string{"card", "input", "hid", "video", "snd", "mem", "sd", "vd", "nvme", "loop", "vfio", "usb", "fuse", "tty0", "console"} {
			if strings.HasPrefix(strings.TrimPrefix(strings.TrimPrefix(path, "/dev/"), "dri/"), no) {
				t.Errorf("programs can use %s", path)
			}
		}
	}
	if _, err := os.Stat("/dev/kvm"); err == nil && !slices.Contains(p.Devices, "/dev/kvm") {
		t.Error("programs cannot use /dev/kvm")
	}
}

// TestTemporary checks that programs get a directory for temporary files that they can use where the usual one has the home directory in it.
func TestTemporary(t *testing.T) {
	t.Parallel()
	for home, want := range map[string][]string{"/tmp/home": {"TMPDIR=/var/tmp"}, "/home/me": nil} {
		place := profile.Place{Homes: []string{home}, Temp: "/tmp", Env: func(string) string { return "" }, HasProgram: func(string) bool { return false }}
		if got := place.Variables(); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", home, got, want)
		}
	}
}

// TestVariables checks that pnpm keeps its store unless settings name another one.
func TestVariables(t *testing.T) {
	t.Parallel()
	const store = "/.local/share/pnpm/store"
	for name, test := range map[string]struct {
		files []string
		want  []string
	}{
		"no pnpm":              {[]string{"project/x"}, nil},
		"a lock file":          {[]string{"project/pnpm-lock.yaml"}, []string{"pnpm_config_store_dir=HOME" + store, "npm_config_store_dir=HOME" + store}},
		"a store of their own": {[]string{"project/pnpm-lock.yaml", "project/pnpm-workspace.yaml"}, nil},
	} {
		dir := home(t, test.files...)
		if slices.Contains(test.files, "project/pnpm-workspace.yaml") {
			if err := os.WriteFile(filepath.Join(dir, "project/pnpm-workspace.yaml"), []byte("storeDir: /x\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		place := profile.Place{
			Dirs: []string{filepath.Join(dir, "project")}, Homes: []string{dir}, Temp: "/var/tmp", Env: func(string) string { return "" }, HasProgram: func(string) bool { return false },
		}
		want := strings.Split(strings.ReplaceAll(strings.Join(test.want, " "), "HOME", dir), " ")
		if got := place.Variables(); !slices.Equal(got, slices.DeleteFunc(want, func(v string) bool { return v == "" })) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
