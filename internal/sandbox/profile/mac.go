package profile

import (
	"path/filepath"
	"strings"
)

// macSecrets are the secrets in the home directory that only macOS has, besides those of secrets. A * in the last part of a path stands for any text.
var macSecrets = []struct {
	whose string
	paths []string
}{
	{"keychains", []string{"Library/Keychains"}},
	{"browsers", []string{
		"Library/Application Support/Google/Chrome*", "Library/Application Support/Chromium", "Library/Application Support/BraveSoftware",
		"Library/Application Support/Microsoft Edge*", "Library/Application Support/Vivaldi", "Library/Application Support/com.operasoftware.*",
		"Library/Application Support/Arc", "Library/Application Support/Firefox", "Library/Application Support/zen", "Library/Application Support/librewolf",
		"Library/Safari", "Library/Cookies", "Library/HTTPStorages", "Library/WebKit",
	}},
	{"mail and messengers", []string{
		"Library/Mail", "Library/Messages", "Library/Thunderbird", "Library/Application Support/Slack", "Library/Application Support/discord",
		"Library/Application Support/Signal", "Library/Application Support/Telegram Desktop", "Library/Application Support/Element",
	}},
	{"other programs, each in its own directory", []string{"Library/Containers", "Library/Group Containers"}},
	{"clouds and registries", []string{
		"Library/Application Support/com.vercel.cli", "Library/Preferences/netlify", "Library/Preferences/.wrangler", "Library/Application Support/doctl",
		"Library/Application Support/pypoetry/auth.toml", "Library/Preferences/pypoetry/auth.toml", "Library/Application Support/pip/pip.conf",
		"Library/Preferences/helm/registry", "Library/Application Support/glab-cli", "Library/Application Support/fly", "Library/Application Support/rclone",
	}},
	{"age and SOPS", []string{"Library/Application Support/sops/age"}},
	{"key stores", []string{"Library/Application Support/1Password*", "Library/Application Support/Bitwarden*", "Library/Application Support/KeePassXC"}},
	{"other agents", []string{"Library/Application Support/Claude", "Library/Application Support/Cursor", "Library/Application Support/github-copilot"}},
	{"wallets", []string{"Library/Application Support/Bitcoin", "Library/Ethereum", "Library/Application Support/Exodus", "Library/Application Support/Electrum"}},
}

// macCaches are the caches in the home directory that have another name on macOS than elsewhere. Those in ~/.cache are also looked for in ~/Library/Caches.
var macCaches = []string{
	"Library/pnpm/store", "Library/Caches/Yarn", "Library/Caches/Mozilla.sccache", "Library/Caches/Coursier",
	"Library/Application Support/virtualenv", "Library/Application Support/Cypress", "Library/Application Support/hatch/env",
	"Library/Caches/org.swift.swiftpm", "Library/org.swift.swiftpm/cache", "Library/Developer/Xcode/DerivedData", "Library/Developer/Xcode/UserData/Previews",
	"Library/Developer/CoreSimulator/Caches", "Library/Caches/CocoaPods", ".cocoapods/repos", "Library/Caches/Homebrew", "Library/Caches/org.carthage.CarthageKit",
	"Library/Caches/com.apple.python", ".matplotlib",
}

// macDirs returns the directories for temporary files and caches of programs that only macOS has: a user's T has a C beside it.
func (p *Place) macDirs() (dirs []string) {
	if !p.Mac {
		return nil
	}
	if filepath.Base(p.Temp) == "T" {
		dirs = append(dirs, filepath.Join(filepath.Dir(p.Temp), "C"))
	}
	for _, name := range macCaches {
		dirs = append(dirs, p.inHome(name)...)
	}
	return dirs
}

// macHidden returns the secrets that only macOS has, and directories in which commands must not write files for others.
func (p *Place) macHidden() (list []string) {
	if !p.Mac {
		return nil
	}
	for _, s := range macSecrets {
		for _, name := range s.paths {
			for _, home := range p.Homes {
				list = append(list, glob(filepath.Join(home, filepath.FromSlash(name)))...)
			}
		}
	}
	for _, temp := range []string{p.Temp, "/tmp"} {
		if temp != "" {
			list = append(list, filepath.Join(temp, "gemini")) // where editors say how Pollux reaches them; elsewhere package listener finds out who does
		}
	}
	return list
}

// macName returns the name in the home directory that a cache has on macOS, "" for the same one.
func macName(name string) string {
	if rest, ok := strings.CutPrefix(name, ".cache/"); ok {
		return "Library/Caches/" + rest
	}
	return ""
}
