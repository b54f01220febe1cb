/* SPDX-License-Identifier: Apache-2.0
 *
 * Treiber's stack for SPIN: PROCESSES processes with OPERATIONS operations each, values 1 and 2, no node reused.
 *
 * The assertions are as strong as linearizability, because the points of this algorithm are known: an abstract stack
 * changes in the step of the successful compare-and-swap, each pop returns its top at that moment, and a pop that
 * finds nothing finds the abstract stack empty. linpoint gets no points and has more to do.
 *
 * Each access to shared memory is a step. With -DFUSED a step includes what others cannot observe or change: the call,
 * the return, the link of a node that is not shared yet, and the fields of a shared node, which no process writes any
 * more. Those are the steps that linpoint has after its own reductions. In both, dead variables are 0, and each process
 * has nodes of its own, so that the order of allocation makes no difference.
 *
 *     spin -a treiber.pml && gcc -O2 -DSAFETY -DNOFAIR -o pan pan.c && ./pan -m100000 -w27
 */
#ifndef PROCESSES
#define PROCESSES 3
#endif
#ifndef OPERATIONS
#define OPERATIONS 2
#endif
#define NODES (PROCESSES * OPERATIONS)

byte top;                    /* a node from 1 on; 0 is none */
byte next[NODES + 1];
byte value[NODES + 1];

byte contents[NODES + 1];    /* the abstract stack */
byte height;

#define NEW(v) done < OPERATIONS -> done++; mine = _pid * OPERATIONS + done; value[mine] = v
#define LOOK seen = top
#define LINK next[mine] = seen
#define FOUND_NONE assert(height == 0); goto idle
#define NEXT after = next[seen]
#define PUSHED top = mine; contents[height] = value[mine]; height++; mine = 0; seen = 0
#define POPPED top = after; after = 0; height--; expected = contents[height]; contents[height] = 0
#define RETURN assert(value[seen] == expected); seen = 0; expected = 0

active [PROCESSES] proctype Client() {
	byte done, mine, seen, after, expected;

idle:
	if
#ifdef FUSED
	:: atomic { NEW(1); LOOK; LINK }; goto swap_in
	:: atomic { NEW(2); LOOK; LINK }; goto swap_in
	:: atomic { done < OPERATIONS -> done++; LOOK; if :: seen == 0 -> FOUND_NONE :: else -> NEXT fi }; goto swap_out
#else
	:: atomic { NEW(1) }; goto push
	:: atomic { NEW(2) }; goto push
	:: atomic { done < OPERATIONS -> done++ }; goto pop
#endif
	:: done == OPERATIONS -> goto finished
	fi;

push:
#ifdef FUSED
	atomic { LOOK; LINK };
#else
	LOOK;
	LINK;
#endif
swap_in:
	if
	:: atomic { top == seen -> PUSHED }; goto idle
	:: atomic { else -> seen = 0 }; goto push
	fi;

pop:
#ifdef FUSED
	atomic { LOOK; if :: seen == 0 -> FOUND_NONE :: else -> NEXT fi };
#else
	atomic { LOOK; if :: seen == 0 -> FOUND_NONE :: else fi };
	NEXT;
#endif
swap_out:
	if
#ifdef FUSED
	:: atomic { top == seen -> POPPED; RETURN }; goto idle
#else
	:: atomic { top == seen -> POPPED }
#endif
	:: atomic { else -> seen = 0; after = 0 }; goto pop
	fi;
#ifndef FUSED
	atomic { RETURN }; goto idle;
#endif

finished:
	skip
}
