// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"hash/maphash"
	"slices"
	"strings"

	"github.com/anishathalye/porcupine"
)

// The models are written as Porcupine's documentation advises: a model of one object with small states, and partition
// functions over the objects. Values of registers and queues are numbered, so that states are ints.
var encodings = map[string]func() (porcupine.Model, encoder){
	"cas-register": casRegister,
	"map":          keyValueMap,
	"queue":        queue,
}

type kind uint8

const (
	readKind kind = iota
	writeKind
	casKind
	appendKind
	enqueueKind
	dequeueKind
	peekKind
)

// numbering gives each value of a file a small number; null is 0.
type numbering map[string]int

func (n numbering) of(value string) int {
	number, known := n[value]
	if !known {
		number = len(n)
		n[value] = number
	}
	return number
}

func arity(one record, wanted int) error {
	if len(one.args) != wanted {
		return fmt.Errorf("%d arguments instead of %d", len(one.args), wanted)
	}
	return nil
}

type registerInput struct {
	key  string
	kind kind
	old  int
	new  int
}

func (i registerInput) object() string { return i.key }

type registerOutput struct {
	value    int
	swapped  bool
	observed bool // false: any result is accepted
}

func casRegister() (porcupine.Model, encoder) {
	values := numbering{null: 0}
	model := porcupine.Model{
		Partition:      byKey,
		PartitionEvent: byKeyEvents,
		Init:           func() any { return 0 },
		Step: func(state, input, output any) (bool, any) {
			value, in, out := state.(int), input.(registerInput), output.(registerOutput)
			switch in.kind {
			case readKind:
				return out.value == value, state
			case writeKind:
				return true, in.new
			default:
				if value == in.old {
					return !out.observed || out.swapped, in.new
				}
				return !out.observed || !out.swapped, state
			}
		},
		Hash: func(state any) uint64 { return uint64(state.(int)) * 0x9e3779b97f4a7c15 },
	}
	encode := func(one record) (any, any, bool, error) {
		in, out := registerInput{key: one.key}, registerOutput{observed: !one.unknown}
		switch one.op {
		case "read":
			in.kind, out.value = readKind, values.of(one.result)
			return in, out, one.unknown, arity(one, 0)
		case "write":
			if err := arity(one, 1); err != nil {
				return nil, nil, false, err
			}
			in.kind, in.new = writeKind, values.of(one.args[0])
		case "cas":
			if err := arity(one, 2); err != nil {
				return nil, nil, false, err
			}
			in.kind, in.old, in.new = casKind, values.of(one.args[0]), values.of(one.args[1])
			out.observed = out.observed && one.result != null
			out.swapped = one.result == "true"
		default:
			return nil, nil, false, fmt.Errorf("a register has no such operation")
		}
		return in, out, false, nil
	}
	return model, encode
}

type mapInput struct {
	key   string
	kind  kind
	value string
}

func (i mapInput) object() string { return i.key }

// An absent key is the empty string, as in Porcupine's own key-value logs.
func keyValueMap() (porcupine.Model, encoder) {
	seed := maphash.MakeSeed()
	model := porcupine.Model{
		Partition:      byKey,
		PartitionEvent: byKeyEvents,
		Init:           func() any { return "" },
		Step: func(state, input, output any) (bool, any) {
			in := input.(mapInput)
			switch in.kind {
			case readKind:
				return output.(string) == state.(string), state
			case writeKind:
				return true, in.value
			default:
				return true, state.(string) + in.value
			}
		},
		Hash: func(state any) uint64 { return maphash.String(seed, state.(string)) },
	}
	encode := func(one record) (any, any, bool, error) {
		in := mapInput{key: one.key}
		if in.key == "" && len(one.args) > 0 { // the key is the first argument, or separate
			in.key, one.args = one.args[0], one.args[1:]
		}
		if one.op == "get" {
			in.kind = readKind
			result, err := text(one.result, true)
			return in, result, one.unknown, err
		}
		switch one.op {
		case "put":
			in.kind = writeKind
		case "append":
			in.kind = appendKind
		default:
			return nil, nil, false, fmt.Errorf("this map has no such operation")
		}
		if err := arity(one, 1); err != nil {
			return nil, nil, false, err
		}
		value, err := text(one.args[0], false)
		in.value = value
		return in, "", false, err
	}
	return model, encode
}

// text is the string in a JSON value; null is the empty string where that is allowed.
func text(value string, absent bool) (string, error) {
	if value == null && absent {
		return "", nil
	}
	var held string
	if err := json.Unmarshal([]byte(value), &held); err != nil {
		return "", fmt.Errorf("%s is not a string", value)
	}
	if held == "" {
		return "", fmt.Errorf("an empty string would be the same as an absent key")
	}
	return held, nil
}

type queueInput struct {
	key   string
	kind  kind
	value int
}

func (i queueInput) object() string { return i.key }

type queueOutput struct {
	value    int
	observed bool
}

// The state of a queue is an immutable slice: a dequeue shares it, an enqueue copies it.
func queue() (porcupine.Model, encoder) {
	values := numbering{null: 0}
	model := porcupine.Model{
		Partition: byKey,
		Init:      func() any { return []int(nil) },
		Step: func(state, input, output any) (bool, any) {
			items, in, out := state.([]int), input.(queueInput), output.(queueOutput)
			if in.kind == enqueueKind {
				return true, append(slices.Clip(items), in.value)
			}
			front := 0
			if len(items) > 0 {
				front = items[0]
			}
			if out.observed && out.value != front {
				return false, state
			}
			if in.kind == dequeueKind && len(items) > 0 {
				return true, items[1:]
			}
			return true, state
		},
		Equal: func(one, other any) bool { return slices.Equal(one.([]int), other.([]int)) },
		Hash: func(state any) uint64 {
			hash := uint64(14695981039346656037)
			for _, item := range state.([]int) {
				hash = (hash ^ uint64(item)) * 1099511628211
			}
			return hash
		},
	}
	encode := func(one record) (any, any, bool, error) {
		in, out := queueInput{key: one.key}, queueOutput{observed: !one.unknown}
		switch one.op {
		case "enqueue":
			if err := arity(one, 1); err != nil {
				return nil, nil, false, err
			}
			if strings.TrimSpace(one.args[0]) == null {
				return nil, nil, false, fmt.Errorf("null is what an empty queue gives")
			}
			in.kind, in.value = enqueueKind, values.of(one.args[0])
			return in, out, false, nil
		case "dequeue":
			in.kind = dequeueKind
		case "peek":
			in.kind = peekKind
		default:
			return nil, nil, false, fmt.Errorf("a queue has no such operation")
		}
		out.value = values.of(one.result)
		return in, out, one.unknown && in.kind == peekKind, arity(one, 0)
	}
	return model, encode
}
