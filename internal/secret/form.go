package secret

import (
	"encoding/base64"
	"strings"
)

// A form finds secrets that are recognized without knowing them. All begin at a text that is their own, so that
// one pass over a text finds those of all forms.
type form struct {
	begin string
	key   *keyForm                                      // of a key, else nil
	other func(s string, from, at int) (start, end int) // find of the other forms
}

// find returns where a secret begins and ends in s whose form has its begin at the index at; end is 0 if there is
// none. from is the end of the previous replacement: a secret does not begin earlier.
func (f *form) find(s string, from, at int) (start, end int) {
	if f.key != nil {
		return f.key.find(f.begin, s, from, at)
	}
	return f.other(s, from, at)
}

// keyForm is the form of keys: one of the prefixes, which spaces separate, and a number of characters of a class.
type keyForm struct {
	prefixes string
	class    func(byte) bool
	min, max int
}

// anyLength is the longest key that is recognized: longer runs of such characters are data.
const anyLength = 400

// keyForms are the keys of well-known providers.
var keyForms = [...]keyForm{
	// Models.
	{"AIza", isWordOrDash, 30, 80},
	{"sk-", isWordOrDash, 16, anyLength}, // OpenAI, Anthropic and many others
	{"gsk_ gsk- xai- xai_ hf_ hf- csk- csk_ pplx- pplx_ fw_ fw- r8_ r8-", isWord, 16, anyLength},
	{"nvapi-", isWordOrDash, 40, anyLength},
	{"tvly-", isWordOrDash, 20, anyLength},
	// Code hosts and registries.
	{"ghp_ gho_ ghu_ ghs_ ghr_", isWord, 30, anyLength},
	{"github_pat_", isWord, 22, anyLength},
	{"glpat- gldt- glrt- glcbt- glptt- glft- GR1348941", isWordOrDash, 16, anyLength},
	{"ATBB", isAlnum, 28, 48},
	{"npm_", isAlnum, 30, 60},
	{"pypi-", isWordOrDash, 50, anyLength},
	{"rubygems_", isAlnum, 40, 80},
	{"dckr_pat_ dckr_oat_", isWordOrDash, 20, 80},
	// Clouds.
	{"AKIA ASIA", isAlnum, 16, 16},
	{"ABIA ACCA", isUpperOrDigit, 16, 16},
	{"ya29.", isWordOrDash, 20, 2000},
	{"1//0", isWordOrDash, 30, anyLength},
	{"GOCSPX- sb_secret_", isWordOrDash, 20, 80},
	{"dop_v1_ doo_v1_ dor_v1_", isAlnum, 40, 100},
	{"dapi", isAlnum, 32, 40},
	{"hvs. hvb.", isWordOrDash, 20, anyLength},
	{"pul-", isAlnum, 40, 40},
	{"tskey-", isWordOrDash, 20, 120},
	{"sbp_", isAlnum, 40, 80},
	{"AGE-SECRET-KEY-1", isUpperOrDigit, 50, 80},
	// Services.
	{"sk_live_ sk_test_ rk_live_ rk_test_", isAlnum, 16, anyLength},
	{"whsec_", isBase64, 24, 80},
	{"xoxa- xoxb- xoxc- xoxd- xoxe- xoxo- xoxp- xoxr- xoxs-", isWordOrDash, 6, anyLength},
	{"xapp-", isWordOrDash, 20, anyLength},
	{"SG.", isWordDashOrDot, 40, 120},
	{"shpat_ shpss_ shpca_ shppa_", isAlnum, 32, 64},
	{"lin_api_", isAlnum, 30, 80},
	{"ntn_", isAlnum, 40, 80},
	{"figd_", isWordOrDash, 30, 80},
	{"PMAK-", isWordOrDash, 40, 100},
	{"ATATT3 ATCTT3", isWordDashOrEqual, 50, anyLength},
	{"sq0atp-", isWordOrDash, 20, 60},
	{"sq0csp-", isWordOrDash, 30, 60},
	{"sntrys_", isWordDashOrEqual, 30, anyLength},
	{"sntryu_", isAlnum, 30, 100},
	{"glsa_ phx_", isWord, 30, 80},
	{"glc_", isWordDashOrEqual, 40, anyLength},
	{"NRAK-", isUpperOrDigit, 20, 40},
	{"sgp_", isWord, 40, 100},
	{"dp.pt.", isAlnum, 30, 60},
	{"dp.st.", isWordDashOrDot, 30, 80},
	{"xkeysib-", isWordOrDash, 60, 120},
	{"hooks.slack.com/services/", isPath, 20, 120},
	{"discord.com/api/webhooks/ discordapp.com/api/webhooks/", isPath, 40, 160},
}

// forms returns all forms: those below, and one for each prefix in keyForms.
func forms() []form {
	list := make([]form, 0, 200)
	list = append(
		list,
		form{begin: "-----BEGIN ", other: findPEM},
		form{begin: "eyJ", other: findJWT},
		form{begin: "://", other: findUser},
		form{begin: ":AA", other: findBotToken},
		form{begin: "Bearer ", other: findBearer},
		form{begin: "bearer ", other: findBearer},
		form{begin: "BEARER ", other: findBearer},
		form{begin: "Basic ", other: findBasic},
		form{begin: "basic ", other: findBasic},
		form{begin: "ookie:", other: findCookie},
		form{begin: "ookie\":", other: findCookie},
		form{begin: "OOKIE:", other: findCookie},
		form{begin: "=", other: findAssigned},
		form{begin: ":", other: findMember},
	)
	for i := range keyForms {
		for prefix := range strings.FieldsSeq(keyForms[i].prefixes) {
			list = append(list, form{begin: prefix, key: &keyForms[i]})
		}
	}
	return list
}

func (k *keyForm) find(prefix, s string, from, at int) (start, end int) {
	if !isBoundary(s, from, at) || isInData(s, at) {
		return 0, 0
	}
	body := at + len(prefix)
	end = body
	for end < len(s) && end-body <= k.max && k.class(s[end]) {
		end++
	}
	for end > body && (s[end-1] == '.' || s[end-1] == '/') { // the end of a sentence
		end--
	}
	switch n := end - body; {
	case n < k.min, n > k.max:
		return 0, 0
	case prefix == "sk-" && !looksRandom(s[body:end]) && strings.ContainsAny(s[body:end], "-_"):
		return 0, 0 // a name
	}
	return at, end
}

// Prefix returns how a key begins by which programs know whose it is, such as ghp_, "" for other texts.
func Prefix(key string) string {
	for i := range keyForms {
		for prefix := range strings.FieldsSeq(keyForms[i].prefixes) {
			if !strings.HasPrefix(key, prefix) {
				continue
			}
			if _, end := keyForms[i].find(prefix, key, 0, 0); end == len(key) {
				return prefix
			}
		}
	}
	return ""
}

// isBoundary reports whether a word can begin at an index.
func isBoundary(s string, from, at int) bool {
	return at <= from || !isWord(s[at-1]) && s[at-1] != '-'
}

// isInData reports whether the text before an index is a long run of base64, in which anything can occur.
func isInData(s string, at int) bool {
	const long = 128
	for i := at - 1; i >= 0 && isBase64(s[i]); i-- {
		if at-i >= long {
			return true
		}
	}
	return false
}

// findPEM finds a private key from its first line to its last, or as far as it goes. It does not go beyond the
// end of a JSON string.
func findPEM(s string, _, at int) (start, end int) {
	const header, last = "PRIVATE KEY", "-----END "
	line := s[at:min(len(s), at+80)]
	i := strings.Index(line, header)
	if i < 0 || strings.ContainsAny(line[:i], "\n\\\"") {
		return 0, 0
	}
	end = at + i + len(header)
	if n := strings.Index(s[end:min(len(s), end+12)], "-----"); n >= 0 {
		end += n
	}
	body, isStart, inHeader := 0, false, false // bytes of the key; at the start of a line, in one such as "Version: 1"
	for ; end < len(s); end++ {
		switch c := s[end]; {
		case strings.HasPrefix(s[end:], last):
			rest := s[end+len(last) : min(len(s), end+80)]
			if n := strings.Index(rest, "-----"); n >= 0 {
				return at, end + len(last) + n + len("-----")
			}
			return at, end + len(last)
		case c == '\\': // a line break in a JSON string
			for end+1 < len(s) && s[end+1] == '\\' {
				end++
			}
			if end+1 < len(s) && strings.IndexByte("nrt", s[end+1]) >= 0 {
				end++
			}
			isStart, inHeader = true, false
		case c == '\n', c == '\r':
			isStart, inHeader = true, false
		case c == ':':
			inHeader = true
		case isStart && (c == ' ' || c == '\t'), c == '=', c == '-', inHeader && c != '"':
		case isBase64(c):
			body++
			isStart = false
		default:
			if body < 16 {
				return 0, 0 // it is only named
			}
			return at, end
		}
	}
	return at, end
}

func findJWT(s string, from, at int) (start, end int) {
	if !isBoundary(s, from, at) {
		return 0, 0
	}
	end = at
	for part := range 3 {
		begin := end
		for end < len(s) && isWordOrDash(s[end]) {
			end++
		}
		if end-begin < 4 && (part < 2 || end == begin) {
			return 0, 0
		}
		if part < 2 {
			if end == len(s) || s[end] != '.' {
				return 0, 0
			}
			end++
		}
	}
	return at, end
}

// findUser finds the user and the password in a URL, and a user that is a key.
func findUser(s string, _, at int) (start, end int) {
	begin := at + len("://")
	end = begin
	colon := -1
	for ; end < len(s); end++ {
		switch c := s[end]; {
		case c == '@':
			user := s[begin:end]
			isPassword := colon >= 0 && end-colon > 1 && !isReference(s[colon+1:end])
			if hasMask(user) || !isPassword && (len(user) < 20 || !looksRandom(user)) {
				return 0, 0
			}
			return begin, end
		case c == ':' && colon < 0:
			colon = end
		case c <= ' ' || strings.IndexByte("/\"\\<>`", c) >= 0 || end-begin > 500:
			return 0, 0
		}
	}
	return 0, 0
}

// findBotToken finds the token of a bot of Telegram: 123456789:AA...
func findBotToken(s string, from, at int) (start, end int) {
	start = at
	for start > from && isDigit(s[start-1]) {
		start--
	}
	end = at + 1
	for end < len(s) && isWordOrDash(s[end]) {
		end++
	}
	if n := at - start; n < 8 || n > 11 || end-at != 36 {
		return 0, 0
	}
	return start, end
}

// findBearer finds the token of the header Authorization.
func findBearer(s string, _, at int) (start, end int) {
	start = at + len("Bearer ")
	end = start
	for end < len(s) && (isWordDashOrDot(s[end]) || strings.IndexByte("~+/=", s[end]) >= 0) {
		end++
	}
	if n := end - start; n < 6 || n < 20 && !looksRandom(s[start:end]) {
		return 0, 0
	}
	return start, end
}

// findBasic finds the user and the password of the header Authorization.
func findBasic(s string, _, at int) (start, end int) {
	start = at + len("Basic ")
	end = start
	for end < len(s) && end-start < 4<<10 && (isBase64(s[end]) || s[end] == '=') {
		end++
	}
	text, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(s[start:end], "="))
	if end-start < 6 || err != nil || strings.IndexByte(string(text), ':') < 0 {
		return 0, 0
	}
	return start, end
}

// findCookie finds the values of the headers Cookie and Set-Cookie.
func findCookie(s string, _, at int) (start, end int) {
	start = at + strings.IndexByte(s[at:], ':') + 1
	for start < len(s) && (s[start] == ' ' || s[start] == '"' || s[start] == '\\') {
		start++
	}
	end = start
	for end < len(s) && end-start < enough && strings.IndexByte(lineEnds, s[end]) < 0 {
		end++
	}
	if value := s[start:end]; !strings.Contains(value, "=") || hasMask(value) || len(value) < shortest {
		return 0, 0
	}
	for end < len(s) && strings.IndexByte(lineEnds, s[end]) < 0 {
		end++
	}
	return start, end
}

// lineEnds are the characters that end the value of a header, also in a text with quotes.
const lineEnds = "\r\n\"\\'`"

// enough is how much of a value decides whether it is a secret, in bytes, so that a text of many names takes no
// more time than others.
const enough = 300

// shortest is the length of the shortest value that is replaced because of the name before it, in bytes.
const shortest = 6

// findAssigned finds the value of a variable or a parameter with the name of a secret: NAME=value,
// --name=value, ?name=value, Name=value; in a connection string.
func findAssigned(s string, from, at int) (start, end int) {
	begin, nameEnd := at, at
	for nameEnd > from && s[nameEnd-1] == ' ' && at-nameEnd < 3 {
		nameEnd--
	}
	begin = nameBefore(s, from, nameEnd)
	name, isNext := strings.CutPrefix(s[begin:nameEnd], "u0026") // "&" in JSON
	if len(name) < 2 || !mayBeSecret(name) {
		return 0, 0
	}
	isSpaced := nameEnd < at
	start = at + 1
	for start < len(s) && isSpaced && s[start] == ' ' {
		start++
	}
	v := valueAt(s, start, "&;|<>),")
	text := s[v.start:v.end]
	isParameter := isNext || begin > from && strings.IndexByte("?&;-", s[begin-1]) >= 0 || strings.HasPrefix(name, "-")
	isVariable := strings.ToUpper(name) == name
	switch {
	case len(text) < shortest, isReference(text), isSpaced && !isVariable:
		return 0, 0
	case !isVariable && !isParameter && (!looksRandom(text) || strings.ContainsAny(text, "([{")): // in program text
		return 0, 0
	case !InName(name):
		return 0, 0
	}
	return v.start, v.whole(s)
}

// findMember finds the value of a member whose name is without doubt that of a secret, if it looks like one:
// "api_key": "value", password: value.
func findMember(s string, from, at int) (start, end int) {
	nameEnd := at
	for nameEnd > from && (s[nameEnd-1] == '"' || s[nameEnd-1] == '\'' || s[nameEnd-1] == '\\') {
		nameEnd--
	}
	begin := nameBefore(s, from, nameEnd)
	if nameEnd-begin < 3 {
		return 0, 0
	}
	start = at + 1
	for start < len(s) && s[start] == ' ' && start-at < 40 {
		start++
	}
	v := valueAt(s, start, ",}]);&")
	text := s[v.start:v.end]
	if len(text) < 8 || isReference(text) || !looksRandom(text) || strings.ContainsAny(text, "([{") || !isPlainlySecret(s[begin:nameEnd]) {
		return 0, 0
	}
	return v.start, v.whole(s)
}

// nameBefore returns where the name before an index begins.
func nameBefore(s string, from, end int) (begin int) {
	begin = end
	for begin > from && end-begin < 64 && (isWordOrDash(s[begin-1]) || s[begin-1] == '.') {
		begin--
	}
	return begin
}

// valueRange is where a value is in a text: in quotes, or else up to white space or one of the characters in
// ends. end is that of the first bytes of a long one.
type valueRange struct {
	start, end int
	quote      byte
	ends       string
}

// valueAt returns the range of the value that begins at an index.
func valueAt(s string, at int, ends string) valueRange {
	v := valueRange{start: at, ends: ends}
	for v.start < len(s) && s[v.start] == '\\' && v.start-at < 4 {
		v.start++
	}
	if v.start < len(s) && strings.IndexByte("\"'`", s[v.start]) >= 0 {
		v.quote = s[v.start]
		v.start++
	} else {
		v.start = at
	}
	v.end = v.start
	for v.end < len(s) && v.end-v.start < enough && !v.endsAt(s[v.end]) {
		v.end++
	}
	return v
}

func (v valueRange) whole(s string) int {
	end := v.end
	for end < len(s) && !v.endsAt(s[end]) {
		end++
	}
	return end
}

func (v valueRange) endsAt(c byte) bool {
	switch c {
	case '\n', '\r', '"', '\\':
		return true
	case '\'', '`':
		return v.quote != '"'
	}
	return v.quote == 0 && (c <= ' ' || strings.IndexByte(v.ends, c) >= 0)
}

// isReference reports whether a value stands for another one, is a path, or was replaced.
func isReference(text string) bool {
	switch text[0] {
	case '$', '<', '{', '(', '[', '%', '*', '/', '~':
		return true
	}
	return strings.HasPrefix(text, "./") || strings.HasPrefix(text, "../") || hasMask(text) || strings.Trim(text, "x*.-X_") == ""
}

func hasMask(text string) bool { return strings.Contains(text, Redacted) }

// looksRandom reports whether a text has letters and digits, and no spaces, as keys do and words do not.
func looksRandom(text string) bool {
	digits, letters := false, false
	for i := range len(text) {
		switch c := text[i]; {
		case isDigit(c):
			digits = true
		case isAlnum(c):
			letters = true
		case c <= ' ':
			return false
		}
	}
	return digits && letters
}

func isWordOrDash(c byte) bool      { return isWord(c) || c == '-' }
func isWordDashOrDot(c byte) bool   { return isWordOrDash(c) || c == '.' }
func isWordDashOrEqual(c byte) bool { return isWordOrDash(c) || c == '=' }
func isUpperOrDigit(c byte) bool    { return isUpper(c) || isDigit(c) }
func isBase64(c byte) bool          { return isAlnum(c) || c == '+' || c == '/' }
func isPath(c byte) bool            { return isWordOrDash(c) || c == '/' }
