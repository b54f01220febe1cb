// SPDX-License-Identifier: Apache-2.0
// Replaces itself.
#include <unistd.h>

int main() { execl("/bin/true", "true", static_cast<char*>(nullptr)); }
