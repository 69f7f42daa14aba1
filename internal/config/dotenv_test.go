package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseDotEnv(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                           "",
		"A=1":                        "A=1",
		"A = 1 ":                     "A=1",
		"export A=1":                 "A=1",
		"exportA=1":                  "exportA=1",
		"export=1":                   "export=1",
		"A=":                         "A=",
		"A=\nB=2":                    "A=|B=2",
		"A=1\r\nB=2\r\n":             "A=1|B=2",
		"A=1\rB=2":                   "A=1|B=2",
		"# c\n\n  A=1 # c\n#B=2":     "A=1",
		"A=x#y":                      "A=x",
		"A='x # y' # c":              "A=x # y",
		`A="x\ny\tz"`:                "A=x\ny\\tz",
		`A='x\ny'`:                   `A=x\ny`,
		"A=`it's \"so\"`":            `A=it's "so"`,
		"A=\"one\ntwo\"\nB=2":        "A=one\ntwo|B=2",
		`A="x\"y"`:                   `A=x\"y`,
		`A='x'y`:                     `A='x'y`,
		`A='{"a": "it's"}'`:          `A={"a": "it's"}`,
		`A="C:\dir\"` + "\nB=\"2\"":  `A=C:\dir\|B=2`,
		`A="x\ny`:                    "A=\"x\ny",
		`A="`:                        `A="`,
		"A='open\nB=2":               "A='open|B=2",
		"A=$B ${C}":                  "A=$B ${C}",
		`A="$B ${C} \$D"`:            `A=$B ${C} \$D`,
		"A: 1":                       "A=1",
		"A:1\nB=2":                   "B=2",
		"A.b-c=1":                    "A.b-c=1",
		"nonsense\nA=1":              "A=1",
		"= 1\nA=1":                   "A=1",
		"A=1\nA=2":                   "A=2",
		"\uFEFFA=1":                  "A=1",
		"A=a=b=c":                    "A=a=b=c",
		"A=\"\"\nB=''":               "A=|B=",
		"é=1\nA=é":                   "A=é",
		"A=x\x00y":                   "A=x\x00y",
		"KEY='a\nb\nc' # c\nB=\"2\"": "KEY=a\nb\nc|B=2",
	} {
		var got []string
		for _, v := range parseDotEnv([]byte(text), nil) {
			got = append(got, v.name+"="+v.value)
		}
		if strings.Join(got, "|") != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

func TestDotEnvSearch(t *testing.T) {
	t.Parallel()
	// The first existing file counts.
	order := []string{
		"work/a/.gemini/.env", "work/a/.env", "work/.gemini/.env", "work/.env", "home/.gemini/.env", "home/.env",
	}
	for i := range order {
		for _, tt := range []struct {
			trusted, ignore bool
		}{{true, false}, {false, false}, {true, true}} {
			p := newPlace(t)
			root := filepath.Dir(p.home)
			for _, name := range order[i:] {
				write(t, filepath.Join(root, name), "GEMINI_API_KEY="+name)
			}
			want := ""
			for _, name := range order[i:] {
				special := strings.Contains(name, ".gemini")
				if special && !tt.trusted || !special && tt.ignore && !strings.HasPrefix(name, "home") {
					continue
				}
				want = name
				break
			}
			p.work = filepath.Join(p.work, "a")
			mkdir(t, p.work)
			s := &Settings{trust: tt.trusted, tree: map[string]any{"advanced": map[string]any{"ignoreLocalEnv": tt.ignore}}}
			env, _ := new(DotEnv).Extend(p.env, s, p.paths())
			if got := env.Get("GEMINI_API_KEY"); got != want {
				t.Errorf("from %s, %+v: read %q, want %q", order[i], tt, got, want)
			}
		}
	}
}

func TestDotEnvRules(t *testing.T) {
	t.Parallel()
	file := strings.Join([]string{
		"GEMINI_API_KEY=sk$(x);y", "OTHER=1", "SET=file", "EMPTY=file", "DEBUG=1", "DEBUG_MODE=1", "MINE=1",
		"GEMINI_CLI_IDE_SERVER_STDIO_COMMAND=evil", "GEMINI_CLI_IDE_SERVER_STDIO_ARGS=evil", "NUL=a\x00b",
		"DBUS_SESSION_BUS_ADDRESS=unixexec:path=/evil", "GIT_EXTERNAL_DIFF=evil", "BASH_ENV=evil", "PYTHONPATH=evil",
		"HTTPS_PROXY=http://evil", "all_proxy=http://evil", "SSL_CERT_FILE=evil", "NODE_TLS_REJECT_UNAUTHORIZED=0",
		"GEMINI_DEBUG_LOG_FILE=/evil", "GEMINI_SYSTEM_MD=evil", "GEMINI_WRITE_SYSTEM_MD=/evil", "npm_config_registry=http://evil", "EDITOR=evil", "NODE_ENV=test",
	}, "\n")
	type vars map[string]string
	for _, tt := range []struct {
		name, file string
		trusted    bool
		want       vars
	}{
		{"a project's .env", "work/.env", true, vars{"GEMINI_API_KEY": "sk$(x);y", "OTHER": "1", "NODE_ENV": "test"}},
		{"a project's .gemini/.env", "work/.gemini/.env", true, vars{
			"GEMINI_API_KEY": "sk$(x);y", "OTHER": "1", "DEBUG": "1", "DEBUG_MODE": "1", "MINE": "1",
			"GEMINI_CLI_IDE_SERVER_STDIO_COMMAND": "evil", "GEMINI_CLI_IDE_SERVER_STDIO_ARGS": "evil", "NODE_ENV": "test",
		}},
		{"the user's own .env", "home/.env", true, vars{
			"GEMINI_API_KEY": "sk$(x);y", "OTHER": "1", "GIT_EXTERNAL_DIFF": "evil", "BASH_ENV": "evil", "PYTHONPATH": "evil", "NODE_ENV": "test",
			"HTTPS_PROXY": "http://evil", "all_proxy": "http://evil", "SSL_CERT_FILE": "evil", "NODE_TLS_REJECT_UNAUTHORIZED": "0",
			"GEMINI_DEBUG_LOG_FILE": "/evil", "GEMINI_SYSTEM_MD": "evil", "GEMINI_WRITE_SYSTEM_MD": "/evil", "npm_config_registry": "http://evil", "EDITOR": "evil",
		}},
		{"without trust", "work/.env", false, vars{"GEMINI_API_KEY": "skxy"}},
	} {
		p := newPlace(t, "SET=process", "EMPTY=")
		write(t, filepath.Join(filepath.Dir(p.home), tt.file), file)
		s := &Settings{trust: tt.trusted}
		s.layers[User] = map[string]any{"advanced": map[string]any{"excludedEnvVars": []any{"DEBUG", "DEBUG_MODE", "MINE"}}}
		s.merge()
		env, warnings := new(DotEnv).Extend(p.env, s, p.paths())
		if asked := strings.Contains(fmt.Sprint(warnings), "cannot set HTTPS_PROXY, SSL_CERT_FILE, "); asked != (tt.trusted && !strings.HasPrefix(tt.file, "home/")) {
			t.Errorf("%s: warnings %v", tt.name, warnings)
		}
		if env.Get("SET") != "process" || env.Get("EMPTY") != "" {
			t.Errorf("%s: variables that are set were changed", tt.name)
		}
		got := vars{}
		for name, v := range env.all() {
			if _, had := p.env.vars[name]; !had {
				got[name] = v
			}
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
		if _, had := p.env.Lookup("GEMINI_API_KEY"); had {
			t.Error("the environment itself was changed")
		}
	}
}

// Variables of a project are distinguished from those of the user.
func TestDotEnvOfProject(t *testing.T) {
	t.Parallel()
	for file, of := range map[string]bool{"work/.env": true, "work/.gemini/.env": true, ".env": true, "home/.env": false, "home/.gemini/.env": false} {
		p := newPlace(t, "SET=process")
		write(t, filepath.Join(filepath.Dir(p.home), file), "SET=file\nA=1\nB=1")
		env, _ := new(DotEnv).Extend(p.env, &Settings{trust: true}, p.paths())
		env = env.Without("B", "SET")
		if env.Get("A") != "1" || env.IsSetByProject("A") != of || env.IsSetByProject("NONE", "A") != of || env.IsSetByProject("SET", "B", "NONE") ||
			env.Get("B") == "1" == of || env.Get("SET") != "process" || env.User().Get("A") == "1" == of || len(env.OfProject()) == 1 != of {
			t.Errorf("%s: %v", file, env)
		}
	}
}

// A home that is reached by a link is the user's as well.
func TestDotEnvLinkedHome(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	write(t, filepath.Join(p.home, ".env"), "A=1")
	p.work = filepath.Join(p.home, "work")
	mkdir(t, p.work)
	if real, err := filepath.EvalSymlinks(p.work); err == nil { // macOS has its temporary files behind a link
		p.work = real
	}
	linked := filepath.Join(filepath.Dir(p.home), "linked")
	link(t, p.home, linked)
	p.env = p.env.With("GEMINI_CLI_HOME=" + linked)
	s := &Settings{trust: true, tree: map[string]any{"advanced": map[string]any{"ignoreLocalEnv": true}}}
	if env, _ := new(DotEnv).Extend(p.env, s, p.paths()); env.Get("A") != "1" || env.IsSetByProject("A") {
		t.Errorf("A is %q, of the project: %v", env.Get("A"), env.IsSetByProject("A"))
	}
	if files := EnvFiles(p.env, s, p.paths()); len(files) != 1 {
		t.Errorf("the file is found in %d places", len(files))
	}
}

// A project's settings decide about its own files, not about the user's.
func TestDotEnvExcludedByProject(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{"work/.env": "", "home/.env": "true"} {
		p := newPlace(t)
		write(t, filepath.Join(filepath.Dir(p.home), file), "GEMINI_SANDBOX=true\nUSERS=1")
		p.user(t, `{"advanced": {"excludedEnvVars": ["USERS"]}}`)
		p.workspace(t, `{"advanced": {"excludedEnvVars": ["GEMINI_SANDBOX"]}}`)
		s, _ := p.mustLoad(t)
		env, _ := new(DotEnv).Extend(p.env, s, p.paths())
		if got := env.Get("GEMINI_SANDBOX"); got != want || env.Get("USERS") != "" {
			t.Errorf("%s: GEMINI_SANDBOX is %q, USERS is %q", file, got, env.Get("USERS"))
		}
	}
}

// A directory whose name merely contains .gemini is an ordinary project.
func TestDotEnvInLookalike(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.work = filepath.Join(p.home, ".gemini-x", "repo")
	write(t, filepath.Join(p.work, ".env"), "DEBUG=1\nA=1")
	env, _ := new(DotEnv).Extend(p.env, &Settings{trust: true}, p.paths())
	if env.Get("DEBUG") != "" || env.Get("A") != "1" {
		t.Errorf("DEBUG=%q A=%q", env.Get("DEBUG"), env.Get("A"))
	}
}

func TestDotEnvHostileFiles(t *testing.T) {
	t.Parallel()
	for name, bad := range map[string]func(t *testing.T, path string){
		"pipe":      mkfifo,
		"directory": func(t *testing.T, path string) { mkdir(t, path) },
		"loop":      func(t *testing.T, path string) { link(t, path, path) },
		"device":    func(t *testing.T, path string) { link(t, "/dev/zero", path) },
		"huge": func(t *testing.T, path string) {
			write(t, path, "A=evil")
			if err := os.Truncate(path, maxDotEnv+1); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			bad(t, filepath.Join(p.work, ".env"))
			write(t, filepath.Join(p.home, ".env"), "A=home")
			env, warnings := new(DotEnv).Extend(p.env, &Settings{trust: true}, p.paths())
			if got := env.Get("A"); got != "home" {
				t.Errorf("A is %q", got)
			}
			if told := len(warnings) == 1 && strings.Contains(string(warnings[0]), "Cannot read "+filepath.Join(p.work, ".env")+": "); told == (name == "directory") {
				t.Errorf("the warnings are %q", warnings)
			}
		})
	}
}

func FuzzParseDotEnv(f *testing.F) {
	for _, seed := range []string{"A=1", "export A='x\ny' # c", "A=\"\\n\"\nB", "A: `x`", "\uFEFFA=$B", "a='\nb='x\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		names := map[string]bool{}
		for _, v := range parseDotEnv(data, func(int) {}) {
			if v.name == "" || names[v.name] || strings.ContainsAny(v.name, "= \n\x00") {
				t.Fatalf("name %q", v.name)
			}
			names[v.name] = true
			if len(v.value) > len(data) {
				t.Fatal("a value is longer than the file")
			}
			// A value that was read is read again, if quotes can hold it.
			if !strings.ContainsAny(v.value, "'\\\r") {
				again := parseDotEnv([]byte(v.name+"='"+v.value+"'"), nil)
				if len(again) != 1 || again[0] != v {
					t.Fatalf("%q became %q", v, again)
				}
			}
		}
	})
}

func TestDotEnvSelectsNoPrograms(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"XDG_CONFIG_HOME", // git/config in it
		"MAKEFILES", "TAR_OPTIONS", "OPENSSL_CONF", "KUBECONFIG", "GOENV", "CARGO_HOME", "RIPGREP_CONFIG_PATH", "RSYNC_RSH",
		"PERLLIB", "LUA_INIT", "PHP_INI_SCAN_DIR", "MAVEN_OPTS", "ZDOTDIR", "CC", "RUSTC", "GNUPGHOME", "LESSKEYIN", "BUNDLE_GEMFILE", "YARN_RC_FILENAME",
	} {
		if !IsDangerousVariable(name) {
			t.Errorf("a project's .env may set %s", name)
		}
	}
	for _, name := range []string{"DATABASE_URL", "NODE_ENV", "GOOGLE_CLOUD_PROJECT", "CCACHE_SIZE", "PORT", "XDGX", "PHP_ENV", "LUA"} {
		if IsDangerousVariable(name) {
			t.Errorf("a project's .env may not set %s", name)
		}
	}
}
