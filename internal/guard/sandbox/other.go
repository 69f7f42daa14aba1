//go:build !linux && !darwin

package sandbox

func probes() []probe { return []probe{{Docker, docker}, {Podman, podman}} }
