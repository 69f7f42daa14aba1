package keychain

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
)

// This file parses the output of macOS's security(1). It builds and is tested on all systems.

// passwordIn returns the secret in the line `password: "text"` or, for non-ASCII text,
// `password: 0x6162  "ab"`.
func passwordIn(output []byte) (string, error) {
	for line := range strings.Lines(string(output)) {
		if value, ok := strings.CutPrefix(strings.TrimRight(line, "\r\n"), "password: "); ok {
			if text, ok := parseBlob(value); ok {
				return text, nil
			}
		}
	}
	return "", errors.New("security(1) printed no password")
}

// accountsIn returns the accounts of a service in the output of "security dump-keychain".
func accountsIn(dump []byte, service string) []string {
	var accounts []string
	of, account := "", ""
	end := func() {
		if of == service && account != "" && !slices.Contains(accounts, account) {
			accounts = append(accounts, account)
		}
		of, account = "", ""
	}
	lines := bufio.NewScanner(bytes.NewReader(dump))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		switch {
		case strings.HasPrefix(line, "keychain: "):
			end()
		case strings.HasPrefix(line, `"svce"<blob>=`):
			of, _ = parseBlob(line[len(`"svce"<blob>=`):])
		case strings.HasPrefix(line, `"acct"<blob>=`):
			account, _ = parseBlob(line[len(`"acct"<blob>=`):])
		}
	}
	end()
	return accounts
}

// parseBlob parses a value as the program prints it: "text", or 0x74657874 followed by the
// text with escapes. The program adds quotes without escaping inner ones, so only the outer
// ones are removed.
func parseBlob(value string) (string, bool) {
	if digits, ok := strings.CutPrefix(value, "0x"); ok {
		digits, _, _ = strings.Cut(digits, " ")
		data, err := hex.DecodeString(digits)
		return string(data), err == nil
	}
	if len(value) < 2 || value[0] != '"' || value[len(value)-1] != '"' {
		return "", false
	}
	return value[1 : len(value)-1], true
}

// quote quotes a word for a line of the program's standard input.
func quote(word string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", " ").Replace(word) + `"`
}
