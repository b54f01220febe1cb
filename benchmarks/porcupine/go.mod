// SPDX-License-Identifier: Apache-2.0
module linpoint.example/benchmarks/porcupine

go 1.21

require github.com/anishathalye/porcupine v1.3.1
