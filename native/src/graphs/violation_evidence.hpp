// SPDX-License-Identifier: Apache-2.0
// Converts the graph's evidence of a violation to positions in the history.
#pragma once

#include <cstdint>
#include <vector>

#include "graphs/topological_order.hpp"
#include "graphs/version_graph.hpp"
#include "linpoint/graphs/precedence.hpp"

namespace linpoint::graphs {

class Evidence {
 public:
  explicit Evidence(const Memory& memory) : memory_(memory) {}

  [[nodiscard]] Contradiction circular(const Circle& circle) const;
  [[nodiscard]] Contradiction flawed(const Memory::Flaw& flaw) const;
  /// `connected`: an operation may have replaced the value that the only failed operation expected. `certain`: the
  /// number of operations with an unknown outcome that took effect whatever failed.
  [[nodiscard]] Refutation refutation(std::vector<Contradiction> contradictions,
                                      const std::vector<std::int32_t>& failed, bool connected,
                                      std::size_t certain) const;

 private:
  [[nodiscard]] Link link(std::int32_t from, std::int32_t to, Because because, std::int32_t version) const;
  [[nodiscard]] static Reason reason(const std::vector<Contradiction>& contradictions);
  [[nodiscard]] std::vector<Link> kept(const std::vector<Contradiction>& contradictions, std::size_t certain) const;

  const Memory& memory_;
};

}  // namespace linpoint::graphs
