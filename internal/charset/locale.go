package charset

import (
	"strings"

	"golang.org/x/text/encoding/htmlindex"
)

// OfLocale returns the encoding in which programs write with these environment variables, in the
// form "NAME=value". It is UTF-8 if the locale names none.
func OfLocale(environ []string) Encoding {
	locale := ""
	for _, name := range []string{"LANG=", "LC_CTYPE=", "LC_ALL="} { // a later one prevails
		for _, v := range environ {
			if value, ok := strings.CutPrefix(v, name); ok && value != "" {
				locale = value
			}
		}
	}
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
