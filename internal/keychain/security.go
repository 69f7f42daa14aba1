package keychain

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
)

// What follows is the language of macOS's security(1), which needs no macOS.

// passwordIn returns the secret in the line `password: "text"`, or, of what is not
// plain, `password: 0x6162  "ab"`.
func passwordIn(said []byte) (string, error) {
	for line := range strings.Lines(string(said)) {
		if value, ok := strings.CutPrefix(strings.TrimRight(line, "\r\n"), "password: "); ok {
			if text, ok := blob(value); ok {
				return text, nil
			}
		}
	}
	return "", errors.New("security(1) shows no password")
}

// accountsIn returns the accounts of a service in a dump of a keychain.
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
			of, _ = blob(line[len(`"svce"<blob>=`):])
		case strings.HasPrefix(line, `"acct"<blob>=`):
			account, _ = blob(line[len(`"acct"<blob>=`):])
		}
	}
	end()
	return accounts
}

// blob reads a value as the program prints it: "text", or 0x74657874 and behind it a
// text with escapes. It is not told whether the text had quotes, so the outer ones
// are taken off.
func blob(value string) (string, bool) {
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

// quote writes a word for a line of the program's input.
func quote(word string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", " ").Replace(word) + `"`
}
