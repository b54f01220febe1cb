// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
)

// A record is one operation as in its file. Values are JSON text, so that they are compared as written.
type record struct {
	process string
	op      string
	key     string
	args    []string
	result  string
	unknown bool
	call    int64
	ret     int64 // meaningless if unknown
}

const null = "null"

// read returns the operations of a file in any of the three formats. In logs only the order of the lines matters, and
// call and ret are line numbers: ordered is true.
func read(path string) (records []record, ordered bool, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, false, err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(make([]byte, 1<<16), 1<<28)
	log := pairing{open: map[string]record{}}
	for number := int64(1); lines.Scan(); number++ {
		line := lines.Text()
		var one record
		var use bool
		switch {
		case strings.TrimSpace(line) == "":
			continue
		case strings.HasPrefix(line, "{\""):
			one, use, err = operationLine(line)
		case strings.HasPrefix(line, "{:process"):
			ordered = true
			one, use, err = log.keyValueLine(line, number)
		default:
			ordered = true
			one, use, err = log.jepsenLine(line, number)
		}
		if err != nil {
			return nil, false, fmt.Errorf("line %d: %w", number, err)
		}
		if use {
			records = append(records, one)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, false, err
	}
	for _, one := range log.open { // never returned
		one.unknown = true
		records = append(records, one)
	}
	return records, ordered, nil
}

// operationLine reads a line of linpoint's own format. Failed operations had no effect and are left out.
func operationLine(line string) (one record, use bool, err error) {
	var fields struct {
		Process json.RawMessage
		Op      string
		Args    []json.RawMessage
		Result  json.RawMessage
		Key     json.RawMessage
		Outcome string
		Call    int64
		Return  *int64
	}
	if err := json.Unmarshal([]byte(line), &fields); err != nil {
		return record{}, false, err
	}
	if fields.Op == "" {
		return record{}, false, errors.New("crashes and annotations are not supported")
	}
	one = record{
		process: string(fields.Process),
		op:      fields.Op,
		key:     string(fields.Key),
		result:  string(fields.Result),
		unknown: fields.Return == nil || fields.Outcome == "unknown",
		call:    fields.Call,
	}
	if one.result == "" {
		one.result = null // encoding/json decodes null to a nil RawMessage
	}
	if fields.Return != nil {
		one.ret = *fields.Return
	}
	for _, arg := range fields.Args {
		one.args = append(one.args, string(arg))
	}
	return one, fields.Outcome != "failed", nil
}

// A pairing matches invocations and completions by process.
type pairing struct {
	open map[string]record
}

// completed is the operation that a completion ends; use is false for operations that are ignored.
func (p *pairing) completed(kind string, process string, line int64) (one record, use bool, err error) {
	one, found := p.open[process]
	if !found {
		return record{}, false, errors.New("a completion without an invocation")
	}
	delete(p.open, process)
	switch kind {
	case "ok":
		one.ret = line
		return one, true, nil
	case "info":
		one.unknown = true
		return one, true, nil
	case "fail":
		return record{}, false, nil
	}
	return record{}, false, fmt.Errorf("there is no type %q", kind)
}

var keyValue = regexp.MustCompile(`^\{:process (\d+), :type :(\w+), :f :(\w+), :key ("[^"]*"), :value ("[^"]*"|nil)\}$`)

// keyValueLine reads a line of Porcupine's own key-value logs, where "" from get means that the key is absent.
func (p *pairing) keyValueLine(line string, number int64) (one record, use bool, err error) {
	match := keyValue.FindStringSubmatch(line)
	if match == nil {
		return record{}, false, errors.New("not a line of a key-value log")
	}
	process, kind, op, key, value := match[1], match[2], match[3], match[4], match[5]
	if kind == "invoke" {
		one = record{process: process, op: op, args: []string{key}, result: null, call: number}
		if op != "get" {
			one.args = append(one.args, value)
		}
		p.open[process] = one
		return record{}, false, nil
	}
	one, use, err = p.completed(kind, process, number)
	if op == "get" && value != `""` {
		one.result = value
	}
	return one, use, err
}

var jepsen = regexp.MustCompile(`^INFO\s+jepsen\.util\s+-\s+(\d+)\s+:(\w+)\s+:(\w+)\s+(.*?)\s*$`)
var integer = regexp.MustCompile(`-?\d+`)

// jepsenLine reads a line of a Jepsen text log of a CAS register: an ok cas has swapped, a failed one has no effect.
func (p *pairing) jepsenLine(line string, number int64) (one record, use bool, err error) {
	match := jepsen.FindStringSubmatch(line)
	if match == nil {
		return record{}, false, errors.New("not a line of a Jepsen text log")
	}
	process, kind, op, value := match[1], match[2], match[3], match[4]
	if kind == "invoke" {
		p.open[process] = record{
			process: process, op: op, args: integer.FindAllString(value, -1), result: null, call: number,
		}
		return record{}, false, nil
	}
	one, use, err = p.completed(kind, process, number)
	switch {
	case op == "cas":
		one.result = "true"
	case op == "read" && value != "nil":
		one.result = value
	}
	return one, use, err
}
