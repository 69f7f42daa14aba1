package clipboard

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strings"
	"time"
)

// Read returns the content of the clipboard: the image, or else the text. It returns [ErrNone] if there is no program for
// that.
func (p Programs) Read(ctx context.Context) (Content, error) {
	read, path, most := p.reader()
	if path == "" {
		return Content{}, ErrNone
	}
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(p.Wait, most))
	defer cancel()
	return read(p, ctx, path)
}

type reader func(p Programs, ctx context.Context, path string) (Content, error)

// reader returns how to read the clipboard, with the program and the time that it may take.
func (p Programs) reader() (read reader, path string, most time.Duration) {
	switch {
	case p.isRemote():
		return nil, "", 0
	case p.isWSL():
		if path = p.find("powershell.exe"); path != "" {
			return Programs.readPowerShell, path, shellWait
		}
	case p.GOOS == "windows":
		return Programs.readPowerShell, p.find("powershell"), shellWait
	case p.GOOS == "darwin":
		return Programs.readMac, p.find("osascript"), wait
	}
	if p.isWayland() {
		if path = p.find("wl-paste"); path != "" {
			return Programs.readWayland, path, wait
		}
	}
	if p.hasX() {
		if path = p.find("xclip"); path != "" {
			return Programs.readX, path, wait
		}
	}
	return nil, "", 0
}

// maxTypes is the size of a list of types, in bytes.
const maxTypes = 64 << 10

// ImageType returns the best of the types of images among the types that a clipboard has, "" if there is none.
func ImageType(types []string) string {
	for _, want := range [...]string{"image/png", "image/jpeg", "image/jpg", "image/webp", "image/gif"} {
		if slices.Contains(types, want) {
			return want
		}
	}
	return ""
}

func (p Programs) readWayland(ctx context.Context, path string) (Content, error) {
	return p.readTyped(ctx, path, []string{"--list-types"}, []string{"--no-newline", "--type"}, nil, []string{"--no-newline"})
}

func (p Programs) readX(ctx context.Context, path string) (Content, error) {
	of := []string{"-selection", "clipboard", "-o", "-t"}
	return p.readTyped(ctx, path, append(slices.Clone(of), "TARGETS"), of, nil, append(slices.Clone(of), "UTF8_STRING"))
}

// readTyped reads the clipboard with a program that lists its types with the arguments list, prints an image with the
// arguments image, its type, and rest, and the text with the arguments text.
func (p Programs) readTyped(ctx context.Context, path string, list, image, rest, text []string) (Content, error) {
	types, err := p.output(ctx, path, maxTypes, list...)
	if err != nil && ctx.Err() == nil {
		return Content{}, ErrEmpty // both programs fail if nothing was copied
	} else if err != nil {
		return Content{}, err
	}
	if kind := ImageType(strings.Fields(string(types))); kind != "" {
		data, err := p.output(ctx, path, maxContent, append(append(slices.Clone(image), kind), rest...)...)
		if err != nil {
			return Content{}, err
		}
		if c, err := NewContent(data, true); err == nil {
			return c, nil
		}
	}
	data, err := p.output(ctx, path, maxContent, text...)
	if err != nil {
		return Content{}, err
	}
	return NewContent(data, false)
}

// readMac reads the clipboard of macOS. AppleScript prints an image in hexadecimal digits.
func (p Programs) readMac(ctx context.Context, path string) (Content, error) {
	out, err := p.output(ctx, path, 2*maxContent+64, "-e", "get the clipboard as «class PNGf»")
	if err == nil {
		digits := bytes.TrimSuffix(bytes.TrimPrefix(bytes.TrimSpace(out), []byte("«data PNGf")), []byte("»"))
		data := make([]byte, hex.DecodedLen(len(digits)))
		if _, err := hex.Decode(data, digits); err == nil {
			return NewContent(data, true)
		}
	}
	paste := p.find("pbpaste")
	if paste == "" {
		return Content{}, ErrNone
	}
	data, err := p.output(ctx, paste, maxContent)
	if err != nil {
		return Content{}, err
	}
	return NewContent(data, false)
}

// psRead prints the kind of the clipboard's content, and the content in base64.
const psRead = `$ErrorActionPreference='Stop'; Add-Type -AssemblyName System.Windows.Forms, System.Drawing
$i=[Windows.Forms.Clipboard]::GetImage()
if ($i) { $m=New-Object IO.MemoryStream; $i.Save($m,[Drawing.Imaging.ImageFormat]::Png); 'image '+[Convert]::ToBase64String($m.ToArray()) }
else { 'text '+[Convert]::ToBase64String([Text.Encoding]::UTF8.GetBytes([Windows.Forms.Clipboard]::GetText())) }`

func (p Programs) readPowerShell(ctx context.Context, path string) (Content, error) {
	out, err := p.output(ctx, path, maxContent/3*4+64, "-NoProfile", "-NonInteractive", "-STA", "-Command", psRead)
	if err != nil {
		return Content{}, err
	}
	kind, digits, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
	data, err := base64.StdEncoding.DecodeString(digits)
	if err != nil {
		return Content{}, ErrEmpty
	}
	return NewContent(data, kind == "image")
}
