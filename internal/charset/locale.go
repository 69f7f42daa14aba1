package charset

import (
	"runtime"
	"slices"
	"strings"

	"golang.org/x/text/encoding/htmlindex"
)

// OfLocale returns the encoding in which programs write with these environment variables, in the
// form "NAME=value". It is UTF-8 if the locale names none.
func OfLocale(environ []string) Encoding {
	locale := effective(environ, "LC_CTYPE")
	_, label, _ := strings.Cut(locale, ".")
	label, _, _ = strings.Cut(strings.ToLower(label), "@")
	if rest, ok := strings.CutPrefix(label, "euc"); ok {
		label = "euc-" + strings.TrimPrefix(rest, "-")
	}
	if label == "gb2312" || label == "gbk" {
		label = "gb18030" // which contains them
	}
	codec, err := htmlindex.Get(label)
	if err != nil {
		return Encoding{}
	}
	name, err := htmlindex.Name(codec)
	if err != nil || name == "utf-8" || strings.HasPrefix(name, "utf-16") || name == "replacement" || name == "x-user-defined" {
		return Encoding{}
	}
	return Encoding{name: canonical(name), codec: codec}
}

// canonical returns the usual spelling of a name of htmlindex.
func canonical(name string) string {
	for _, m := range multibytes() {
		if strings.EqualFold(m.name, name) {
			return m.name
		}
	}
	return name
}

// ForShell returns environ with a locale in which shells read a command as Pollux does. In some character sets, such as GBK, Big5
// and Shift_JIS, the second byte of a character may be a backslash or another one that means something to a shell. Such a
// locale is replaced by one with UTF-8, except for the language of messages.
func ForShell(environ []string) []string {
	if isPlainLocale(effective(environ, "LC_CTYPE")) {
		return environ
	}
	var all []string
	for _, v := range environ {
		if !strings.HasPrefix(v, "LANG=") && !strings.HasPrefix(v, "LC_") {
			all = append(all, v)
		}
	}
	utf8 := "C.UTF-8"
	if runtime.GOOS == "darwin" {
		utf8 = "UTF-8"
	}
	return append(all, "LANG=C", "LC_CTYPE="+utf8, "LC_MESSAGES="+effective(environ, "LC_MESSAGES"))
}

// effective returns the locale of a category, "" if the environment names none.
func effective(environ []string, category string) string {
	locale := ""
	for _, name := range []string{"LANG=", category + "=", "LC_ALL="} { // a later one prevails
		for _, v := range environ {
			if value, ok := strings.CutPrefix(v, name); ok && value != "" {
				locale = value
			}
		}
	}
	return locale
}

// isPlainLocale reports whether all bytes below 128 are ASCII in a locale, wherever they stand. Without the name of a character
// set, that of Chinese, Japanese and Korean depends on the system.
func isPlainLocale(locale string) bool {
	language, label, _ := strings.Cut(strings.ToLower(locale), ".")
	label, _, _ = strings.Cut(label, "@")
	if label == "" {
		return !strings.ContainsAny(language, ";=/") && !slices.ContainsFunc([]string{"zh", "ja", "ko", "chin", "taiw"}, func(begin string) bool {
			return strings.HasPrefix(language, begin)
		})
	}
	label = strings.NewReplacer("-", "", "_", "", " ", "").Replace(label)
	return slices.ContainsFunc([]string{"utf8", "iso8859", "8859", "euc", "gb2312", "koi8", "cp125", "windows125", "ascii", "usascii", "ansix3.4", "646", "tis620"}, func(begin string) bool {
		return strings.HasPrefix(label, begin)
	})
}
