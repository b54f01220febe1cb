// SPDX-License-Identifier: Apache-2.0
// The last of the scripts: everything is there.

applyTheme();
document.documentElement.dataset.ready = String(Math.round(performance.now()));
