// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"math"
	"sort"
	"time"

	"github.com/anishathalye/porcupine"
)

// An encoder returns a model's input and output of an operation; idle is true if it constrains nothing, such as
// a read that never returned.
type encoder func(record) (input, output any, idle bool, err error)

// A prepared history is in one of the two forms that Porcupine takes.
type prepared struct {
	operations []porcupine.Operation
	events     []porcupine.Event
}

func (p prepared) check(model porcupine.Model, timeout time.Duration) porcupine.CheckResult {
	if p.events != nil {
		return porcupine.CheckEventsTimeout(model, p.events, timeout)
	}
	return porcupine.CheckOperationsTimeout(model, p.operations, timeout)
}

// prepare encodes the operations of a file. One with an unknown outcome returns after everything else, with an output
// that its model accepts in every state: it may then take effect at any time after its call, or effectively never.
func prepare(records []record, ordered bool, encode encoder) (prepared, error) {
	var history prepared
	type entry struct {
		at    int64
		event porcupine.Event
	}
	var entries []entry
	end := int64(math.MinInt64)
	for _, one := range records {
		end = max(end, one.call)
		if !one.unknown {
			end = max(end, one.ret)
		}
	}
	clients := map[string]int{}
	for id, one := range records {
		input, output, idle, err := encode(one)
		if err != nil {
			return prepared{}, fmt.Errorf("%s called at %d: %w", one.op, one.call, err)
		}
		if idle {
			continue
		}
		client, known := clients[one.process]
		if !known {
			client = len(clients)
			clients[one.process] = client
		}
		ret := one.ret
		if one.unknown {
			ret = end + 1
		}
		if ordered {
			entries = append(entries,
				entry{one.call, porcupine.Event{ClientId: client, Kind: porcupine.CallEvent, Value: input, Id: id}},
				entry{ret, porcupine.Event{ClientId: client, Kind: porcupine.ReturnEvent, Value: output, Id: id}})
		} else {
			history.operations = append(history.operations,
				porcupine.Operation{ClientId: client, Input: input, Call: one.call, Output: output, Return: ret})
		}
	}
	sort.SliceStable(entries, func(i, j int) bool { return entries[i].at < entries[j].at })
	for _, one := range entries {
		history.events = append(history.events, one.event)
	}
	return history, nil
}

// A keyed input names the object of its operation.
type keyed interface{ object() string }

// byKey splits operations by object.
func byKey(history []porcupine.Operation) [][]porcupine.Operation {
	var parts [][]porcupine.Operation
	index := map[string]int{}
	for _, operation := range history {
		key := operation.Input.(keyed).object()
		at, known := index[key]
		if !known {
			at = len(parts)
			index[key] = at
			parts = append(parts, nil)
		}
		parts[at] = append(parts[at], operation)
	}
	return parts
}

// byKeyEvents splits events by object; a return belongs to the object of its call.
func byKeyEvents(history []porcupine.Event) [][]porcupine.Event {
	var parts [][]porcupine.Event
	index := map[string]int{}
	called := map[int]int{}
	for _, event := range history {
		var at int
		if event.Kind == porcupine.CallEvent {
			key := event.Value.(keyed).object()
			known := false
			at, known = index[key]
			if !known {
				at = len(parts)
				index[key] = at
				parts = append(parts, nil)
			}
			called[event.Id] = at
		} else {
			at = called[event.Id]
		}
		parts[at] = append(parts[at], event)
	}
	return parts
}
