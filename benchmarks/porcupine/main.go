// SPDX-License-Identifier: Apache-2.0

// The peer's side of `make bench`: checks one history with Porcupine and prints one line of JSON.
//
// The time is that of the Check call alone: reading the file and encoding it for the model come before it. With -wait
// the program keeps running until its standard input is closed, so that its peak memory can be read from outside.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/anishathalye/porcupine"
)

type answer struct {
	Verdict    string    `json:"verdict"`
	Seconds    []float64 `json:"seconds"`
	Reading    float64   `json:"reading"`
	Operations int       `json:"operations"`
}

func main() {
	name := flag.String("model", "cas-register", "cas-register, map or queue")
	timeout := flag.Duration("timeout", 30*time.Second, "of one run of the checker")
	runs := flag.Int("runs", 1, "how often to check; a run of more than a second is the last")
	wait := flag.Bool("wait", false, "stay until standard input is closed")
	flag.Parse()
	if flag.NArg() != 1 {
		fail(fmt.Errorf("name one file"))
	}
	found, err := run(flag.Arg(0), *name, *timeout, *runs)
	if err != nil {
		fail(err)
	}
	if err := json.NewEncoder(os.Stdout).Encode(found); err != nil {
		fail(err)
	}
	if *wait { // closing the output marks its end
		os.Stdout.Close()
		_, _ = io.Copy(io.Discard, os.Stdin)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "porcupine:", err)
	os.Exit(2)
}

// run reads the file once and checks it the requested number of times.
func run(path, name string, timeout time.Duration, runs int) (answer, error) {
	encoding, ok := encodings[name]
	if !ok {
		return answer{}, fmt.Errorf("there is no model %q", name)
	}
	started := time.Now()
	records, ordered, err := read(path)
	if err != nil {
		return answer{}, fmt.Errorf("%s: %w", path, err)
	}
	model, encode := encoding()
	history, err := prepare(records, ordered, encode)
	if err != nil {
		return answer{}, fmt.Errorf("%s: %w", path, err)
	}
	found := answer{Reading: time.Since(started).Seconds(), Operations: len(records)}
	for i := 0; i < runs; i++ {
		started = time.Now()
		result := history.check(model, timeout)
		taken := time.Since(started)
		found.Seconds = append(found.Seconds, taken.Seconds())
		found.Verdict = verdict(result)
		if taken > time.Second {
			break
		}
	}
	return found, nil
}

func verdict(result porcupine.CheckResult) string {
	switch result {
	case porcupine.Ok:
		return "ok"
	case porcupine.Illegal:
		return "illegal"
	default:
		return "unknown"
	}
}
