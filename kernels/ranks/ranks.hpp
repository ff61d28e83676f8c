// Ranks: the processes that step one run together, each a block of the grid. All of them run the
// same code and call the functions below in the same order.
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

  /// A message to or from another rank. Messages with the same tag arrive in order.
  struct Message {
    int peer = 0;
    int tag = 0;
    std::span<std::byte> bytes;
  };
  /// Sends and receives all these messages; both sides know the sizes.
  virtual void exchange(std::span<const Message> sent, std::span<const Message> received) = 0;

  /// Copies the first rank's bytes to all ranks.
  virtual void broadcast(std::span<std::byte> bytes) = 0;

  /// Replaces each number, on all ranks, by its reduction over all ranks.
  virtual void reduce(Reduction reduction, std::span<std::uint64_t> numbers) = 0;

  /// Waits, perhaps for long, until all ranks have called it, without using processor time.
  virtual void rest() = 0;

  /// The number of ranks on this machine, this one included.
  virtual int on_this_machine() const = 0;
  /// This rank's index among the ranks on this machine, from 0 on.
  virtual int index_on_this_machine() const = 0;

  /// The same ranks for another thread; messages of the two objects do not mix.
  virtual std::unique_ptr<Ranks> duplicate() = 0;

  std::uint64_t reduce(Reduction reduction, std::uint64_t number) {
    reduce(reduction, std::span(&number, 1));
    return number;
  }
  bool any(bool here) { return reduce(Reduction::most, here ? 1 : 0) != 0; }
};

/// The only rank of a run without MPI.
Ranks& only_rank();

/// True if this process was started as a rank, by mpirun or srun.
bool is_started_as_rank();

/// Unsets the environment variables by which mpirun or srun marks ranks, so that this process no
/// longer counts as one.
void forget_launcher();

/// Unsets the environment variables by which Open MPI marks a process that uses it without mpirun,
/// if this process has inherited them. The variables of mpirun and srun stay.
void forget_singleton();

/// The reason why a run on several ranks is impossible; empty if it is possible.
std::string ranks_unavailable();

/// Name and version of the MPI library, such as "Open MPI v4.1.4"; empty if there is none.
std::string mpi_library();

/// The ranks that were started together with this one; must be called once. Throws DeviceError if
/// this build has no MPI.
std::unique_ptr<Ranks> all_ranks();

/// Waits until all ranks have called it; afterwards there are no ranks.
void leave_all_ranks();

/// Ends this process and all other ranks of all_ranks at once, with an exit code, even if they wait
/// for this rank.
[[noreturn]] void end_all_ranks(int code);

/// The first rank's value, on all ranks.
template <class Value>
Value of_first(Ranks& ranks, Value value) {
  static_assert(std::is_trivially_copyable_v<Value>);
  ranks.broadcast(std::as_writable_bytes(std::span(&value, 1)));
  return value;
}

/// The first rank's text, on all ranks.
std::string broadcast_text(Ranks& ranks, std::string text);

/// The bytes of every rank, in order, on the first rank; empty on the others.
std::vector<std::vector<std::byte>> gather(Ranks& ranks, std::span<const std::byte> bytes);

/// The text of the first rank whose text is not empty, on all ranks.
std::string first_text(Ranks& ranks, const std::string& text);

}  // namespace lapl
