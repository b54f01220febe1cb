/* SPDX-License-Identifier: Apache-2.0 */
#include "python_control/interpreter_frames.h"

#if PY_VERSION_HEX >= 0x030B0000 && PY_VERSION_HEX < 0x030E0000 && !defined(Py_GIL_DISABLED) && \
    __has_include(<internal/pycore_frame.h>)
#define LINPOINT_CAN_LOOK 1
#define Py_BUILD_CORE 1
#include <internal/pycore_frame.h>
#if PY_VERSION_HEX < 0x030C0000 || PY_VERSION_HEX >= 0x030D0000
#include <internal/pycore_runtime.h>
#endif
#else
#define LINPOINT_CAN_LOOK 0
#endif

int linpoint_can_look(void) { return LINPOINT_CAN_LOOK; }

#if LINPOINT_CAN_LOOK
static struct _PyInterpreterFrame* current_frame(void) {
#if PY_VERSION_HEX >= 0x030D0000
  return PyThreadState_Get()->current_frame;
#else
  return PyThreadState_Get()->cframe->current_frame;
#endif
}
#endif

int linpoint_is_calling(const void* locals) {
#if LINPOINT_CAN_LOOK
  struct _PyInterpreterFrame* frame = current_frame();
  if (frame == NULL) return 0;
  while ((frame = frame->previous) != NULL) {
    if ((const void*)frame->localsplus == locals) return 1;
  }
#else
  (void)locals;
#endif
  return 0;
}

int linpoint_is_calling_directly(const void* locals) {
#if LINPOINT_CAN_LOOK
  struct _PyInterpreterFrame* frame = current_frame();
  if (frame == NULL) return 0;
  frame = frame->previous;
#if PY_VERSION_HEX >= 0x030C0000
  while (frame != NULL && frame->owner == FRAME_OWNED_BY_CSTACK) frame = frame->previous;
#endif
  return frame != NULL && (const void*)frame->localsplus == locals;
#else
  (void)locals;
  return 0;
#endif
}

int linpoint_look(struct linpoint_frame* frame) {
#if LINPOINT_CAN_LOOK
  struct _PyInterpreterFrame* found = current_frame();
  if (found == NULL) return 0;
  frame->locals = found->localsplus;
  frame->globals = found->f_globals;
  frame->generator = found->owner == FRAME_OWNED_BY_GENERATOR ? (PyObject*)_PyFrame_GetGenerator(found) : NULL;
  frame->call = (PyObject*)found->frame_obj;
  frame->depth = -1;
#if PY_VERSION_HEX >= 0x030D0000
  frame->code = (PyCodeObject*)found->f_executable;
#else
  frame->code = found->f_code;
#endif
#if PY_VERSION_HEX < 0x030C0000
  frame->depth = found->stacktop - frame->code->co_nlocalsplus;
#endif
  return frame->code != NULL && PyCode_Check((PyObject*)frame->code);
#else
  (void)frame;
  return 0;
#endif
}

#if PY_VERSION_HEX < 0x030C0000
void linpoint_trace(PyFrameObject* frame, int instructions) {
#if LINPOINT_CAN_LOOK
  frame->f_trace_lines = 0;
  frame->f_trace_opcodes = instructions != 0;
#else
  (void)frame;
  (void)instructions;
#endif
}
#endif

void linpoint_swap(PyThreadState* state) {
  PyThreadState_Swap(state);
#if LINPOINT_CAN_LOOK && PY_VERSION_HEX < 0x030C0000
  PyThread_tss_set(&_PyRuntime.gilstate.autoTSSkey, state); /* for PyGILState_Ensure; later versions do it themselves */
#endif
#if LINPOINT_CAN_LOOK && PY_VERSION_HEX >= 0x030D0000
  _PyRuntime.main_tstate = state; /* it receives signals; the main thread carries all fibers */
#endif
}

void linpoint_name_state(PyThreadState* state, unsigned long number) {
  state->thread_id = number; /* far below any address; real identities are addresses */
}

void linpoint_forget_own(void) {
  PyThreadState* state = PyThreadState_Get();
  PyObject* locals = PyThreadState_GetDict();
  if (locals != NULL) PyDict_Clear(locals);
#if PY_VERSION_HEX >= 0x030D0000
  /* As at the end of a thread; the next access creates new data. */
  Py_CLEAR(state->threading_local_key);
  Py_CLEAR(state->threading_local_sentinel);
#endif
  ++state->context_ver; /* variables cache their values per version */
  Py_CLEAR(state->context);
}
