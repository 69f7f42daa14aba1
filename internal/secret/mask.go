package secret

import (
	"net/url"
	"regexp"
	"strings"
	"sync"
)

// MaskCommand returns a command line for people: the name of a program and its arguments, with
// [Redacted] in place of secrets, see [MaskArgs].
func MaskCommand(name string, args []string) string {
	return strings.TrimSpace(strings.Join(append([]string{MaskText(name)}, MaskArgs(args)...), " "))
}

// MaskArgs returns the arguments of a program for people. It replaces the values of flags, variables and
// headers whose names name a secret (--api-key X, --token=X, PASSWORD=X, "Authorization: X"), and the
// secrets that [MaskText] replaces. It does not change args.
func MaskArgs(args []string) []string {
	shown, _ := maskArgs(args)
	return shown
}

// InArgs returns the secrets that [MaskArgs] replaces because of a name.
func InArgs(args []string) []string {
	_, secrets := maskArgs(args)
	return secrets
}

// MaskText replaces in a text for people forms of secrets, see [EraseForms], and in each URL the user
// with the password, the query and the fragment.
func MaskText(text string) string {
	return EraseForms(urlInText().ReplaceAllStringFunc(text, maskURL))
}

// InURL returns the secrets that a URL may hold: its user, its password and the values of its query.
func InURL(address string) []string {
	u, err := url.Parse(address)
	if err != nil {
		return nil
	}
	var secrets []string
	if u.User != nil {
		password, _ := u.User.Password()
		secrets = append(secrets, u.User.String(), u.User.Username(), password)
	}
	for _, values := range u.Query() {
		for _, v := range values {
			secrets = append(secrets, v, url.QueryEscape(v))
		}
	}
	return secrets
}

var urlInText = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("[A-Za-z][A-Za-z0-9+.-]*://[^\\s\"<>`]+")
})

// portInHost matches the optional port and the rest after a host name.
var portInHost = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[^:]*(:\d*)?$|^\[[^\]]*\](:\d*)?$`) })

// MaskURL is [MaskText] for a text that is nothing but a URL, which need not be valid.
func MaskURL(address string) string { return EraseForms(maskURL(address)) }

// maskURL replaces the secrets of one URL. A password may hold characters that it should not.
func maskURL(address string) string {
	scheme, rest, found := strings.Cut(address, "://")
	if scheme += "://"; !found {
		scheme, rest = "", address
	}
	end := len(rest)
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		end = i
	}
	at := strings.LastIndexByte(rest[:end], '@')
	if at < 0 && !portInHost().MatchString(rest[:end]) {
		at = strings.LastIndexByte(rest, '@')
	}
	user := ""
	if at >= 0 {
		user, rest = Redacted+"@", rest[at+1:]
	}
	if i := strings.IndexAny(rest, "?#"); i >= 0 && i < len(rest)-1 {
		rest = rest[:i+1] + Redacted
	}
	return scheme + user + rest
}

// maskArgs returns arguments for people, and the values replaced because of a name.
func maskArgs(args []string) (shown, secrets []string) {
	isValue := false // the argument is the value of the flag before
	before := ""
	for _, arg := range args {
		flag := before
		before = arg
		if masked, found, ok := maskOfFlag(flag, arg); ok {
			shown, secrets, isValue = append(shown, masked), append(secrets, found...), false
			continue
		}
		switch name, value, mark := splitArg(arg); {
		case isValue && !isFlag(arg):
			shown, secrets, isValue = append(shown, Redacted), append(secrets, arg), false
			continue
		case mark == "" && isFlag(arg):
			isValue = InName(arg)
		case mark != "" && InName(name):
			shown, secrets, isValue = append(shown, name+mark+Redacted), append(secrets, headerValues(value)...), false
			continue
		default:
			isValue = false
		}
		if words := strings.Fields(arg); len(words) > 1 { // such as a script of a shell
			masked, found := maskWords(words)
			if len(found) > 0 {
				shown, secrets = append(shown, MaskText(strings.Join(masked, " "))), append(secrets, found...)
				continue
			}
		}
		shown = append(shown, MaskText(arg))
	}
	return shown, secrets
}

// maskOfFlag masks the value of a flag that has a secret in a part: the password behind a user, and the values of
// HTTP headers. The value is arg, or in arg behind the flag.
func maskOfFlag(flag, arg string) (masked string, secrets []string, ok bool) {
	begin := ""
	if name, value, isJoined := strings.Cut(arg, "="); isJoined && strings.HasPrefix(arg, "--") {
		flag, begin, arg = name, name+"=", value
	}
	first, rest, hasColon := strings.Cut(arg, ":")
	if !hasColon || strings.TrimSpace(rest) == "" || strings.ContainsAny(first, " /\\\t\n") {
		return "", nil, false
	}
	switch flag {
	case "-u", "--user", "-U", "--proxy-user", "--userpwd", "--login":
		if strings.Trim(arg, "0123456789:") == "" || strings.HasPrefix(rest, "//") { // the ids of a user and a group, and a URL
			return "", nil, false
		}
		return begin + first + ":" + Redacted, []string{rest}, true
	case "-H", "--header", "--headers", "--http-header":
		if isPublicHeader(first) {
			return "", nil, false
		}
		value := strings.TrimLeft(rest, " ")
		return begin + first + ":" + rest[:len(rest)-len(value)] + Redacted, headerValues(value), true
	}
	return "", nil, false
}

// isPublicHeader reports whether the values of a header are no secrets.
func isPublicHeader(name string) bool {
	name = strings.ToLower(name)
	for _, begin := range [...]string{"accept", "content-", "user-agent", "host", "origin", "referer", "cache-control", "anthropic-", "mcp-", "x-title"} {
		if strings.HasPrefix(name, begin) {
			return true
		}
	}
	return false
}

// maskWords is like maskArgs for the words of one argument. The words after a header's name are its
// value.
func maskWords(words []string) (shown, secrets []string) {
	for i, word := range words {
		if name := strings.Trim(word, `"'`); i > 0 && strings.HasSuffix(name, ":") && InName(name) {
			shown, secrets = maskArgs(words[:i])
			return append(shown, word, Redacted), append(secrets, words[i+1:]...)
		}
	}
	return maskArgs(words)
}

// splitArg splits an argument of the form --flag=value, NAME=value or "Name: value". mark is the
// text between the two, "" if the argument has another form.
func splitArg(arg string) (name, value, mark string) {
	i := strings.IndexAny(arg, "=:")
	if i <= 0 || strings.ContainsAny(arg[:i], " \t\n/\\") {
		return "", "", ""
	}
	value = strings.TrimLeft(arg[i+1:], " \t")
	return arg[:i], value, arg[i : len(arg)-len(value)]
}

// isFlag reports whether an argument is a flag rather than the value of one: a value may begin with "-".
func isFlag(arg string) bool {
	return strings.HasPrefix(arg, "--") || strings.HasPrefix(arg, "-") && len(arg) == 2 ||
		strings.HasPrefix(arg, "-") && InName(arg) && !strings.ContainsAny(arg, "0123456789")
}

// headerValues returns a value and, if it is one of the header Authorization, also the part after
// its scheme.
func headerValues(value string) []string {
	_, credentials, _ := strings.Cut(value, " ")
	return []string{value, strings.TrimSpace(credentials)}
}

// InHeaders returns the values of HTTP headers that may be secrets, also without the scheme of authorization
// in front of them.
func InHeaders(headers map[string]string) []string { return inValues(headers, headerValues) }

// InEnv returns the values of variables that are set for one program and may be secrets: all but short words
// and absolute paths, and those too if the name of the variable names a secret.
func InEnv(env map[string]string) []string {
	return inValues(env, func(value string) []string { return []string{value} })
}

// inValues returns the significant values, and of those behind the name of a secret the result of named.
func inValues(values map[string]string, named func(value string) []string) (secrets []string) {
	for name, value := range values {
		if InName(name) {
			secrets = append(secrets, named(value)...)
		} else {
			secrets = append(secrets, Significant([]string{value})...)
		}
	}
	return secrets
}
