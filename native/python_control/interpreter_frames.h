/* SPDX-License-Identifier: Apache-2.0
 * The value stack of a Python frame. The headers with its layout are internal to CPython, and C only. */
#pragma once

#include <Python.h>

#ifdef __cplusplus
extern "C" {
#endif

struct linpoint_frame {
  PyObject** locals;   /* variables, including cells; then the stack */
  PyObject* globals;   /* borrowed */
  PyCodeObject* code;  /* borrowed */
  PyObject* generator; /* borrowed; the owner of the frame, or null */
  PyObject* call;      /* borrowed; its frame object, or null if it was never created */
  int depth;           /* of the stack, if the interpreter stores it while it runs; else -1 */
};

/* Whether the layout is known in this build. */
int linpoint_can_look(void);

/* The frame that the calling thread executes; false if there is none. */
int linpoint_look(struct linpoint_frame* frame);

/* Whether the frame with these locals is a direct or indirect caller of the one that the calling thread executes. */
int linpoint_is_calling(const void* locals);

/* Whether it is the direct caller. */
int linpoint_is_calling_directly(const void* locals);

#if PY_VERSION_HEX < 0x030C0000
/* Turns instruction events of this frame on or off; line events are always off. */
void linpoint_trace(PyFrameObject* frame, int instructions);
#endif

/* Makes a thread state the current one of the calling thread, in every place that stores it. */
void linpoint_swap(PyThreadState* state);

/* Gives a thread state a unique identity. */
void linpoint_name_state(PyThreadState* state, unsigned long number);

/* Resets threading.local data and context variables of the calling thread, as in a new thread. */
void linpoint_forget_own(void);

#ifdef __cplusplus
}
#endif
