package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// settings runs the command, and returns what it prints and its exit status.
func settings(arguments ...string) (string, int) {
	command := exec.Command("settings-cli", arguments...)
	command.Stderr = os.Stderr
	output, err := command.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return "", exit.ExitCode()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return strings.TrimSpace(string(output)), 0
}

func main() {
	file := os.Args[1]
	for {
		digest, status := settings("get", file, "--digest")
		if status != 0 {
			os.Exit(status)
		}
		text, status := settings("get", file, "limits.open-files", "--default", "1024")
		now, err := strconv.Atoi(text)
		if status != 0 || err != nil {
			os.Exit(1)
		}
		_, status = settings("set", file, fmt.Sprintf("limits.open-files=%d", now*2),
			"limits.raised-by=installer", "--if-unchanged", digest)
		// 9: someone was faster. Once more, from what is there now.
		if status != 9 {
			os.Exit(status)
		}
	}
}
