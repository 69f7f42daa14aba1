// Package media recognizes media by their bytes. Files have the wrong extension, servers declare the wrong type, and
// downloads turn out to be error pages. A service refuses the whole request because of one such part, and each later
// request, too, since the part stays in the history.
package media

import (
	"bytes"
	"cmp"
	"net/http"
	"slices"
	"strings"

	"pollux/llm"
)

// Normalize returns a MIME type in lower case, without parameters, and by its usual name.
func Normalize(mime string) string {
	mime, _, _ = strings.Cut(mime, ";")
	return usualName(strings.ToLower(strings.TrimSpace(mime)))
}

// usualName returns the usual name of a type that has several.
func usualName(mime string) string {
	switch mime {
	case "image/jpg", "image/pjpeg":
		return "image/jpeg"
	case "image/x-png", "image/apng":
		return "image/png"
	case "image/x-ms-bmp":
		return "image/bmp"
	case "application/x-pdf":
		return "application/pdf"
	case "audio/x-wav", "audio/wave", "audio/vnd.wave":
		return "audio/wav"
	case "audio/mp3":
		return "audio/mpeg"
	case "audio/x-aiff":
		return "audio/aiff"
	case "audio/x-flac":
		return "audio/flac"
	case "application/ogg":
		return "audio/ogg"
	}
	return mime
}

// describe returns the name for people of a type whose data always begins with a known signature, "" for other types.
func describe(mime string) string {
	switch mime {
	case "image/png":
		return "a PNG image"
	case "image/jpeg":
		return "a JPEG image"
	case "image/gif":
		return "a GIF image"
	case "image/webp":
		return "a WebP image"
	case "image/bmp":
		return "a BMP image"
	case "image/tiff":
		return "a TIFF image"
	case "image/heic":
		return "a HEIC image"
	case "image/heif":
		return "a HEIF image"
	case "image/avif":
		return "an AVIF image"
	case "application/pdf":
		return "a PDF document"
	}
	return ""
}

// Type returns the normalized MIME type of b, by its bytes as far as they show it, else as declared. If b is no data
// of the declared type or of another type of media, problem is the reason; else it is "".
func Type(b *llm.Blob) (mime, problem string) {
	declared, found := Normalize(b.MIMEType), detect(b.Data)
	isVisual := strings.HasPrefix(declared, "image/") || declared == "application/pdf"
	isMedia := isVisual || strings.HasPrefix(declared, "audio/") || strings.HasPrefix(declared, "video/")
	switch {
	case len(b.Data) == 0:
		return declared, "it is empty"
	case describe(found) != "":
		if declared == "image/heif" && found == "image/heic" || declared == "image/heic" && found == "image/heif" {
			return declared, "" // the same container, whose brand depends on the program that wrote it
		}
		return found, ""
	case strings.HasPrefix(found, "text/") && isMedia && declared != "image/svg+xml":
		return declared, "its content is text"
	case describe(declared) != "":
		return declared, "its content is not that of " + describe(declared)
	case strings.HasPrefix(found, "audio/") && (strings.HasPrefix(declared, "audio/") || declared == ""):
		return found, ""
	}
	return cmp.Or(declared, found), ""
}

// Reason returns why a service that does not accept b does not: a defect of the data, or its type.
func Reason(b *llm.Blob) string {
	mime, problem := Type(b)
	switch {
	case problem != "":
		return problem
	case mime != Normalize(b.MIMEType):
		return "its content is " + cmp.Or(describe(mime), mime) + ", and this model does not take it"
	}
	return "this model does not take it"
}

// detect returns the type of data by its first bytes, "" if they do not show it.
func detect(data []byte) string {
	switch { // those that net/http does not know
	case bytes.HasPrefix(data, []byte("II*\x00")), bytes.HasPrefix(data, []byte("MM\x00*")):
		return "image/tiff"
	case bytes.HasPrefix(data, []byte("fLaC")):
		return "audio/flac"
	}
	if bytes.Contains(data[:min(len(data), 1024)], []byte("%PDF-")) { // some programs write a line before it
		return "application/pdf"
	}
	if len(data) >= 12 && string(data[4:8]) == "ftyp" {
		return brand(data)
	}
	found := Normalize(http.DetectContentType(data))
	if found == "application/octet-stream" {
		return ""
	}
	return found
}

// brand returns the type of data in an ISO container, such as HEIC or MP4, "" for an unknown one.
func brand(data []byte) string {
	switch name := string(data[8:12]); {
	case slices.Contains([]string{"heic", "heix", "heim", "heis", "hevc", "hevx"}, name):
		return "image/heic"
	case name == "mif1" || name == "msf1":
		return "image/heif"
	case name == "avif" || name == "avis":
		return "image/avif"
	}
	return "" // video or sound, which the brand does not tell apart
}
