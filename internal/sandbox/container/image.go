package container

import (
	"cmp"
	"context"
	"regexp"
	"strings"

	"pollux/internal/exit"
	"pollux/internal/process"
)

// defaultImage has git, a C compiler, and libraries to build most programs with.
const defaultImage = "docker.io/library/buildpack-deps:stable"

// builtHere is the name of an image of Gemini CLI that developers build. No registry has it.
const builtHere = "gemini-cli-sandbox"

// image returns the image to use.
func (o *Options) image() (string, error) {
	image := cmp.Or(o.Env("GEMINI_SANDBOX_IMAGE"), o.Env("GEMINI_SANDBOX_IMAGE_DEFAULT"), o.Image, defaultImage)
	if !regexp.MustCompile(`^[a-zA-Z0-9_.:/@-]+$`).MatchString(image) || strings.HasPrefix(image, "-") {
		return "", exit.Errorf(exit.Sandbox, "Invalid name of a sandbox image: %q.", image)
	}
	return image, nil
}

// fetch gets the image if the machine does not have it.
func (o *Options) fetch(ctx context.Context, path, image string) error {
	id, err := o.Launcher.Ask(ctx, &process.Command{For: purpose, Path: path, Args: []string{"images", "--quiet", image}, Env: o.Environ})
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		return exit.Errorf(exit.Sandbox, "%s does not work: %w. Run '%s info' to see why, or use --no-sandbox to run without a sandbox.", o.Client(), err, o.Client())
	case id != "":
		return nil
	case strings.HasPrefix(image, builtHere):
		return exit.Errorf(exit.Sandbox, "Sandbox image '%s' is missing, and no registry has it. Build it, or name another one in GEMINI_SANDBOX_IMAGE.", image)
	}
	status, err := o.Launcher.Run(ctx, &process.Command{
		For: purpose, Path: path, Args: []string{"pull", image}, Env: o.Environ, Stdout: o.Err, Stderr: o.Err, TTY: true, Grace: grace,
	})
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil || status != process.Status{}:
		return exit.Errorf(exit.Sandbox, "Cannot get the sandbox image '%s'. Name another one in GEMINI_SANDBOX_IMAGE, or use --no-sandbox to run without a sandbox.", image)
	}
	return nil
}
