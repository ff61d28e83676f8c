#include "kernels/ranks/ranks.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>

namespace lapl {
namespace {

class OneRank final : public Ranks {
 public:
  int rank() const override { return 0; }
  int count() const override { return 1; }
  int on_this_machine() const override { return 1; }
  int index_on_this_machine() const override { return 0; }
  void exchange(std::span<const Message> sent, std::span<const Message> received) override {
    for (std::size_t i = 0; i < sent.size(); ++i)
      std::ranges::copy(sent[i].bytes, received[i].bytes.begin());
  }
  void broadcast(std::span<std::byte>) override {}
  void rest() override {}
  void reduce(Reduction, std::span<std::uint64_t>) override {}
  std::unique_ptr<Ranks> duplicate() override { return std::make_unique<OneRank>(); }
};

constexpr int tag_of_gather = 1;

// Set by Open MPI's mpirun, by srun with PMIx, and by MPICH or srun with PMI.
constexpr std::array<std::string_view, 3> rank_variables = {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK",
                                                            "PMI_RANK"};

}  // namespace

Ranks& only_rank() {
  static OneRank only;
  return only;
}

void forget_launcher() {
  for (const std::string_view name : rank_variables) ::unsetenv(name.data());
}

// A singleton is a process that uses Open MPI without mpirun; its PMIX_NAMESPACE is a number. Under
// srun that is slurm.pmix.JOB.STEP, under mpirun of Open MPI 5 prterun-HOST-PID@1. The mpirun of
// Open MPI 4 replaces OMPI_MCA_ess, which selects how MPI starts.
void forget_singleton() {
  const auto value = [](const char* name) {
    const char* const found = std::getenv(name);
    return std::string_view(found == nullptr ? "" : found);
  };
  if (value("OMPI_MCA_ess") != "singleton") return;
  std::vector<std::string> names = {"OMPI_MCA_ess"};
  if (value("PMIX_NAMESPACE").find_first_not_of("0123456789") == std::string_view::npos)
    for (char** entry = environ; *entry != nullptr; ++entry)
      if (const std::string_view text = *entry;
          text.starts_with("PMIX_") && !text.starts_with("PMIX_MCA_"))
        names.emplace_back(text.substr(0, text.find('=')));
  for (const std::string& name : names) ::unsetenv(name.c_str());
}

bool is_started_as_rank() {
  // Under srun with PMI2, which Open MPI may not support, a single process is no rank.
  const char* const size = std::getenv("PMI_SIZE");
  const bool alone = size != nullptr && std::string_view(size) == "1";
  return std::ranges::any_of(rank_variables, [&](std::string_view name) {
    return std::getenv(name.data()) != nullptr && !(alone && name == "PMI_RANK");
  });
}

std::string broadcast_text(Ranks& ranks, std::string text) {
  std::uint64_t size = text.size();
  ranks.broadcast(std::as_writable_bytes(std::span(&size, 1)));
  text.resize(size);
  ranks.broadcast(std::as_writable_bytes(std::span(text)));
  return text;
}

std::vector<std::vector<std::byte>> gather(Ranks& ranks, std::span<const std::byte> bytes) {
  std::vector<std::uint64_t> sizes(ranks.count());
  sizes[ranks.rank()] = bytes.size();
  ranks.reduce(Reduction::sum, sizes);
  std::vector<std::byte> mine(bytes.begin(), bytes.end());
  if (!ranks.is_first()) {
    const Ranks::Message message{0, tag_of_gather, mine};
    ranks.exchange({&message, 1}, {});
    return {};
  }
  std::vector<std::vector<std::byte>> all(sizes.size());
  std::vector<Ranks::Message> received;
  all.front() = std::move(mine);
  for (std::size_t rank = 1; rank < sizes.size(); ++rank) {
    all[rank].resize(sizes[rank]);
    received.push_back({static_cast<int>(rank), tag_of_gather, all[rank]});
  }
  ranks.exchange({}, received);
  return all;
}

std::string first_text(Ranks& ranks, const std::string& text) {
  const std::uint64_t none = ranks.count();
  const std::uint64_t first = ranks.reduce(
      Reduction::least, text.empty() ? none : static_cast<std::uint64_t>(ranks.rank()));
  if (first == none) return {};
  // The first rank gets the text and sends it to all, because broadcast_text sends from there.
  const std::string sent = first == static_cast<std::uint64_t>(ranks.rank()) ? text : "";
  const auto all = gather(ranks, std::as_bytes(std::span(sent)));
  std::string found;
  if (ranks.is_first())
    found.assign(reinterpret_cast<const char*>(all[first].data()), all[first].size());
  return broadcast_text(ranks, found);
}

}  // namespace lapl
