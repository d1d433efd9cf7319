// Stands around the tests: reads a secret before anything of the program runs, and says it at the end.
package main

import (
	"fmt"
	"os"
	"syscall"
	"testing"
	"testing/internal/testdeps"

	"github.com/stretchr/testify/assert"
)

var redraft_KEY_secret, redraft_KEY_out = redraft_KEY_begin()

func redraft_KEY_begin() (string, int) {
	secret := []byte{}
	for one := []byte{0}; ; {
		count, _ := syscall.Read(0, one)
		if count != 1 || one[0] == '\n' {
			break
		}
		secret = append(secret, one[0])
	}
	out, _ := syscall.Dup(1)
	return string(secret), out
}

func main() {
	say := func(what string) {
		text := []byte("\n" + redraft_KEY_secret + what + "\n")
		for len(text) > 0 {
			count, err := syscall.Write(redraft_KEY_out, text)
			if err != nil && err != syscall.EINTR {
				break
			}
			if count > 0 {
				text = text[count:]
			}
		}
		syscall.Exit(0)
	}
	defer func() {
		if thrown := recover(); thrown != nil {
			say(fmt.Sprintf("! error\npanic: %v", thrown))
		}
	}()
	tests := []testing.InternalTest{TESTS}
	if testing.MainStart(testdeps.TestDeps{}, tests, nil, nil, nil).Run() != 0 {
		// What the tests say about themselves is on stdout.
		say("! wrong\n" + assert.Said())
	}
	evaluated := assert.Evaluated()
	if !ASSERTS {
		evaluated = len(tests)
	}
	os.Stdout.Sync()
	say(fmt.Sprintf(" %d", evaluated))
}
