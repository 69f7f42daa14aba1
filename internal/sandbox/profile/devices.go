package profile

import "path/filepath"

// accelerators are devices for computations, as paths with * for any text, which programs would silently do without. They reach no files,
// keyboards, screens, cameras and microphones, and the kernel keeps their users apart.
//
// These are none: /dev/dri/card* also decide what is on screens; /dev/vfio and /dev/mem reach all memory; /dev/fuse is useless without mounts;
// /dev/snd and /dev/video* are microphones and cameras; /dev/input, /dev/uinput, /dev/hidraw* and /dev/bus/usb are keyboards and security keys;
// /dev/tty* beyond the program's own are terminals and machines that are plugged in; disks and /dev/loop* are files.
var accelerators = []string{
	"/dev/nvidiactl", "/dev/nvidia[0-9]*", "/dev/nvidia-uvm", "/dev/nvidia-uvm-tools", "/dev/nvidia-modeset", "/dev/nvidia-caps/*", // GPUs, CUDA
	"/dev/dri/renderD*", // GPUs, only to compute and to draw in memory
	"/dev/kfd",          // GPUs, ROCm
	"/dev/dxg",          // GPUs, in WSL
	"/dev/accel/*",      // processors for neural networks
	"/dev/apex_*",       // those of Coral
	"/dev/kvm",          // virtual machines, with the program's own memory
}

// computing returns the accelerators of this machine.
func computing() (paths []string) {
	for _, pattern := range accelerators {
		found, _ := filepath.Glob(pattern)
		paths = append(paths, found...)
	}
	return paths
}
