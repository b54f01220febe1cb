/* SPDX-License-Identifier: Apache-2.0
 * The value stack of a Python frame. The headers that tell its layout are internal to CPython, and C only. */
#pragma once

#include <Python.h>

#ifdef __cplusplus
extern "C" {
#endif

struct linpoint_frame {
  PyObject** locals;   /* variables, cells among them; then the stack */
  PyObject* globals;   /* borrowed */
  PyCodeObject* code;  /* borrowed */
  PyObject* generator; /* borrowed; whose frame it is, or null */
  PyObject* call;      /* borrowed; its frame object, or null if nobody has asked for it */
  int depth;           /* of the stack, where the interpreter keeps it while it runs; else -1 */
};

/* Whether this build knows the layout. */
int linpoint_can_look(void);

/* The frame that the calling thread executes; false if there is none. */
int linpoint_look(struct linpoint_frame* frame);

/* Whether the frame with these locals has called, by whatever way, the one that the calling thread executes. */
int linpoint_is_calling(const void* locals);

/* Whether there is no frame between the two. */
int linpoint_is_calling_directly(const void* locals);

#if PY_VERSION_HEX < 0x030C0000
/* Whether the tracing of this frame is told of each instruction; it is never told of lines. */
void linpoint_trace(PyFrameObject* frame, int instructions);
#endif

/* Makes a thread state the current one of the calling thread, for everybody who asks. */
void linpoint_swap(PyThreadState* state);

/* Gives a thread state an identity that no other has. */
void linpoint_name_state(PyThreadState* state, unsigned long number);

/* The calling thread has nothing for itself, as one that begins: threading.local, and context variables. */
void linpoint_forget_own(void);

#ifdef __cplusplus
}
#endif
