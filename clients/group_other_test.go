//go:build !unix

package clients

import "os/exec"

func ownGroup(*exec.Cmd) {}

func endGroup(c *exec.Cmd) { _ = c.Process.Kill() }
