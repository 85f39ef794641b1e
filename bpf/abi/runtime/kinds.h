/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/* The runtimes that are known, by number: one line each. */
#pragma once

enum wick_runtime_kind {
	WICK_RUNTIME_NONE,
	WICK_RUNTIME_PYTHON,
	WICK_RUNTIME_KINDS,
	WICK_RUNTIME_SLOTS = 4, /* a power of two, as a bound; there is room for one more */
};
