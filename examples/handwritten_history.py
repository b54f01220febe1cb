# SPDX-License-Identifier: Apache-2.0
"""Histories drawn by hand: which results can two clients of a register observe?

This is the quickest way to settle a question about what linearizability allows.
"""
# Run: python handwritten_history.py
# Exit code: 0

import linpoint

QUESTIONS = {
    "B overlaps the write and sees the old value": """
        A:  |-----write(1)-----|
        B:     |--read()--|
    """,
    "B overlaps the write and sees the new value": """
        A:  |-----write(1)-------|
        B:     |--read()->1--|
    """,
    "C sees the new value, and D, later, the old one": """
        A:  |-----------------write(1)--------------|
        C:     |--read()->1--|
        D:                       |--read()--|
    """,
    "the write timed out, and yet somebody sees it": """
        A:  |--write(1)--...
        B:                    |--read()--|  |--read()->1--|
    """,
}

for question, drawing in QUESTIONS.items():
    verdict = linpoint.check(drawing, "register")
    print(f"{verdict.status.name:12}  {question}")

assert linpoint.check(QUESTIONS["the write timed out, and yet somebody sees it"], "register").witness is not None
