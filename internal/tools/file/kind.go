package file

import (
	"path/filepath"
	"strings"
)

// kind is the type of a file for a model.
type kind string

const (
	textKind   kind = "text"
	svgKind    kind = "svg"
	imageKind  kind = "image"
	pdfKind    kind = "pdf"
	audioKind  kind = "audio"
	videoKind  kind = "video"
	binaryKind kind = "binary"
)

// fileKind returns a file's kind by its name or, if that is not sufficient, by the result of
// binary for its content. mime is set for media only; it is "" for audio formats that models
// do not support.
func fileKind(name string, binary func() bool) (k kind, mime string) {
	k, mime = kindByName(name)
	switch k {
	case audioKind, videoKind:
		if !binary() { // a playlist, or another use of the extension
			return textKind, ""
		}
	case "":
		if binary() {
			return binaryKind, ""
		}
		return textKind, ""
	}
	return k, mime
}

// kindByName returns a file's kind by its extension, "" if unknown. Audio and video files may
// still turn out to be text.
func kindByName(name string) (k kind, mime string) {
	switch ext := strings.ToLower(strings.TrimPrefix(filepath.Ext(name), ".")); ext {
	case "ts", "mts", "cts": // TypeScript, although registered as video
		return textKind, ""
	case "svg":
		return svgKind, "image/svg+xml"
	case "pdf":
		return pdfKind, "application/pdf"

	case "png", "gif", "webp", "bmp", "avif", "heic", "heif", "apng", "jxl":
		return imageKind, "image/" + ext
	case "jpg", "jpeg", "jpe":
		return imageKind, "image/jpeg"
	case "tif", "tiff":
		return imageKind, "image/tiff"

	case "mp3":
		return audioKind, "audio/mpeg"
	case "wav", "aac", "ogg", "flac":
		return audioKind, "audio/" + ext
	case "aif", "aiff":
		return audioKind, "audio/aiff"
	case "m4a", "m4b", "mp4a", "mpga", "mp2", "m2a", "m3a", "oga", "spx", "opus", "weba", "mid", "midi", "kar", "rmi", "au", "snd", "adts", "amr":
		return audioKind, ""

	case "mp4", "m4v", "mp4v", "mpg4":
		return videoKind, "video/mp4"
	case "mpg", "mpeg", "mpe", "m1v", "m2v":
		return videoKind, "video/mpeg"
	case "mov", "qt":
		return videoKind, "video/quicktime"
	case "webm":
		return videoKind, "video/webm"
	case "ogv":
		return videoKind, "video/ogg"
	case "3gp", "3gpp":
		return videoKind, "video/3gpp"

	case "bin", "exe", "dll", "so", "dylib", "class", "jar", "war", "zip", "tar", "gz", "bz2", "rar", "7z", "pak", "rpa",
		"doc", "docx", "xls", "xlsx", "ppt", "pptx", "odt", "ods", "odp",
		"dat", "obj", "o", "a", "lib", "wasm", "pyc", "pyo":
		return binaryKind, ""
	}
	return "", ""
}
