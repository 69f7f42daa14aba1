package mention

import (
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"pollux/internal/tools/file"
	"pollux/internal/wording"
	"pollux/internal/workspace"
	"pollux/tool/spelling"
)

// Attachment is a mention whose files are part of the message.
type Attachment struct {
	Name string // as the user wrote it, or the path that it means
	Size string // "120 lines", "14 files" or a media type
}

// Missing is a mention that looks like a file or a resource, and that names none.
type Missing struct {
	Name       string
	IsResource bool // of a server, such as docs:file:///guide
	// Near is the path of the file with the most similar name, "" if there is none.
	Near string
}

// attachments describes the files that the message has for each mention.
func (r *resolver) attachments(mentions []mention, files []file.File) []Attachment {
	var list []Attachment
	var done []string
	for _, m := range mentions {
		t := r.known[m.path]
		if t.include == "" || slices.Contains(done, t.include) {
			continue
		}
		done = append(done, t.include)
		name, isDir := strings.CutSuffix(t.text, "/**")
		if !isDir {
			if i := slices.IndexFunc(files, func(f file.File) bool { return f.Path == t.include }); i >= 0 {
				list = append(list, Attachment{name, sizeOf(files[i])})
			}
			continue
		}
		below, n := strings.TrimSuffix(t.include, "**"), 0
		for _, f := range files {
			if strings.HasPrefix(workspace.EscapeGlob(f.Path), below) {
				n++
			}
		}
		list = append(list, Attachment{name + "/", wording.Count(n, "file")})
	}
	return list
}

func sizeOf(f file.File) string {
	if f.Media != nil {
		return f.Media.MIMEType
	}
	text := strings.TrimSuffix(f.Text, "\n")
	if text == "" {
		return "empty"
	}
	return wording.Count(1+strings.Count(text, "\n"), "line")
}

// maxMissing is the number of missing files that are reported for a prompt, which may be a
// large text from a pipe.
const maxMissing = 3

// missing returns the mentions that look like files or resources and name none.
func (r *resolver) missing(prompt string, mentions []mention) []Missing {
	var list []Missing
	for _, m := range mentions {
		reported := slices.ContainsFunc(list, func(o Missing) bool { return o.Name == m.path })
		if t, known := r.known[m.path]; !known || t.include != "" || t.isSkipped || reported || !(isResource(m) && beginsWord(m, prompt)) && !r.looksLikeFile(m, prompt) {
			continue
		}
		if list = append(list, Missing{m.path, isResource(m), r.near[m.path].rel}); len(list) == maxMissing {
			break
		}
	}
	return list
}

func beginsWord(m mention, prompt string) bool {
	before, _ := utf8.DecodeLastRuneInString(prompt[:m.start])
	return m.start == 0 || unicode.IsSpace(before) || before == '(' || isCJK(before) || strings.ContainsRune(wideEnds, before)
}

// isResource reports whether a mention is the name of a server and a URI.
func isResource(m mention) bool {
	server, uri, _ := strings.Cut(m.path, ":")
	scheme, _, isURI := strings.Cut(uri, "://")
	isWord := func(s string) bool {
		return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_.+", r)
		})
	}
	return isURI && isWord(server) && isWord(scheme)
}

// looksLikeFile reports whether a mention is the name of a file, and not a decorator, a package
// or a name in prose: it begins a word, and has the extension of a file, the form of a path, or the
// name of a directory of the workspace before its first slash.
func (r *resolver) looksLikeFile(m mention, prompt string) bool {
	if !beginsWord(m, prompt) || strings.HasPrefix(prompt[m.end:], "(") || isGlob(m.path) {
		return false
	}
	const scope = "types" // of npm; projects have a directory of this name, too
	if first, _, ok := strings.Cut(m.path, "/"); ok && first != "" && first != scope && r.exists(first) {
		return true
	}
	for _, begin := range [...]string{"./", "../", "~/", "/"} {
		if strings.HasPrefix(m.path, begin) {
			return true
		}
	}
	return strings.HasSuffix(m.path, "/") || hasFileExtension(m.path)
}

// extensions are common extensions of files, between spaces. Others may be members, as in @app.route.
const extensions = " bash bat c cc cfg conf cpp cs css csv cxx dart diff env ex exs gif go gradle graphql h hpp hs htm html ini ipynb " +
	"java jpeg jpg js json jsonc jsonl jsx kt kts less lock log lua m md mdx mjs mod patch pdf php pl png proto ps1 py r rb rs rst sass scala scss sh " +
	"sql sum svelte svg swift tf toml ts tsv tsx txt vue webp xml yaml yml zig zsh "

// noteNear remembers the file at rel if its name is more similar to the name of a mention than
// those before.
func noteNear(near map[string]nearFile, name, rel string) {
	want, got := strings.ToLower(path.Base(filepath.ToSlash(name))), strings.ToLower(path.Base(rel))
	most := 2
	if ext := path.Ext(want); ext != "" && ext == path.Ext(got) {
		most = max(most, len(want)/2-1)
	}
	if len(want) > 100 || len(got) > 100 || len(got)-len(want) > most || len(want)-len(got) > most || len(strings.TrimSuffix(want, path.Ext(want))) < 3 {
		return
	}
	d := spelling.Distance(want, got)
	old, ok := near[name]
	if d <= most && (!ok || d < old.distance || d == old.distance && (len(rel) < len(old.rel) || len(rel) == len(old.rel) && rel < old.rel)) {
		near[name] = nearFile{rel, d}
	}
}

// nearFile is a file whose name is similar to that of a mention.
type nearFile struct {
	rel      string
	distance int
}
