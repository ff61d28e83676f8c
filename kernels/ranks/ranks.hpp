// Ranks: the processes that step one run together, a block of the grid each. All of them take the
// same way through the program and call the functions below in the same order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace lapl {

enum class Reduction : std::uint8_t { sum, least, most, any_bit };

class Ranks {
 public:
  virtual ~Ranks() = default;

  virtual int rank() const = 0;
  virtual int count() const = 0;
  bool is_first() const { return rank() == 0; }

  /// What goes to another rank, or comes from it; those of one tag in their order.
  struct Message {
    int peer = 0;
    int tag = 0;
    std::span<std::byte> bytes;
  };
  /// Sends and receives all of these; the sizes are known on both sides.
  virtual void exchange(std::span<const Message> sent, std::span<const Message> received) = 0;

  /// The first rank's bytes, on all.
  virtual void broadcast(std::span<std::byte> bytes) = 0;

  /// Each number becomes the reduction over that of every rank, on all.
  virtual void reduce(Reduction reduction, std::span<std::uint64_t> numbers) = 0;

  /// Waits for all, for long and without taking the processor from those that work.
  virtual void rest() = 0;

  /// Ranks that share this one's memory, itself counted too.
  virtual int on_this_machine() const = 0;
  /// Which of them this one is, from 0 on.
  virtual int index_on_this_machine() const = 0;

  /// The same ranks, for another thread: what it says does not mix with what is said here.
  virtual std::unique_ptr<Ranks> duplicate() = 0;

  std::uint64_t reduce(Reduction reduction, std::uint64_t number) {
    reduce(reduction, std::span(&number, 1));
    return number;
  }
  bool any(bool here) { return reduce(Reduction::most, here ? 1 : 0) != 0; }
};

/// One rank alone: a run without others.
Ranks& only_rank();

/// Whether something that starts ranks (mpirun, srun) has started this process.
bool is_started_as_rank();

/// Whether a variable of the environment, NAME=VALUE, says so: for what a process starts that is no
/// rank, though it may be one itself.
bool makes_rank(std::string_view variable);

/// Why ranks cannot be had; empty where they can.
std::string ranks_unavailable();

/// Name and version of the MPI library, such as "Open MPI v4.1.4"; empty where there is none.
std::string mpi_library();

/// The ranks that were started together with this one; to be called once. Throws DeviceError where
/// this build has none.
std::unique_ptr<Ranks> all_ranks();

/// Waits until all of these have come to here; there are no ranks from then on.
void leave_all_ranks();

/// Ends this process where it stands, with an exit code, and every rank of all_ranks, which may
/// wait for it.
[[noreturn]] void end_all_ranks(int code);

/// What the first rank has found, such as a time, on all.
template <class Value>
Value of_first(Ranks& ranks, Value value) {
  static_assert(std::is_trivially_copyable_v<Value>);
  ranks.broadcast(std::as_writable_bytes(std::span(&value, 1)));
  return value;
}

/// The first rank's text, on all.
std::string broadcast_text(Ranks& ranks, std::string text);

/// The bytes of every rank, in their order, on the first; nothing on the others.
std::vector<std::vector<std::byte>> gather(Ranks& ranks, std::span<const std::byte> bytes);

/// The text of the first rank that has one, on all.
std::string first_text(Ranks& ranks, const std::string& text);

}  // namespace lapl
