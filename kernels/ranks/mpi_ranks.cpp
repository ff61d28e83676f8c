// Ranks by MPI; this file is the library lapl_mpi.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <sstream>
#include <thread>

#include "kernels/error.hpp"
#include "kernels/ranks/mpi_module.hpp"

namespace lapl {

namespace {

// The return values of MPI need no checks: MPI ends all ranks if one of its functions fails
// (MPI_ERRORS_ARE_FATAL).
class MpiRanks final : public Ranks {
 public:
  struct OnMachine {
    int count = 1, index = 0;
  };
  MpiRanks(MPI_Comm like, const OnMachine& here) : here_(here) {
    MPI_Comm_dup(like, &ranks_);
    MPI_Comm_rank(ranks_, &rank_);
    MPI_Comm_size(ranks_, &count_);
  }
  MpiRanks(const MpiRanks&) = delete;
  MpiRanks& operator=(const MpiRanks&) = delete;
  ~MpiRanks() override {
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (finalized == 0) MPI_Comm_free(&ranks_);
  }

  int rank() const override { return rank_; }
  int count() const override { return count_; }
  int on_this_machine() const override { return here_.count; }
  int index_on_this_machine() const override { return here_.index; }

  void exchange(std::span<const Message> sent, std::span<const Message> received) override {
    std::vector<MPI_Request> requests;
    const auto add = [&](const Message& message, auto function) {
      in_pieces(message.bytes, [&](std::byte* bytes, int size) {
        requests.push_back(MPI_REQUEST_NULL);
        function(bytes, size, MPI_BYTE, message.peer, message.tag, ranks_, &requests.back());
      });
    };
    for (const Message& message : received) add(message, MPI_Irecv);
    for (const Message& message : sent) add(message, MPI_Isend);
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  }

  void broadcast(std::span<std::byte> bytes) override {
    in_pieces(bytes,
              [&](std::byte* piece, int size) { MPI_Bcast(piece, size, MPI_BYTE, 0, ranks_); });
  }

  void reduce(Reduction reduction, std::span<std::uint64_t> numbers) override {
    const MPI_Op by = reduction == Reduction::sum     ? MPI_SUM
                      : reduction == Reduction::least ? MPI_MIN
                      : reduction == Reduction::most  ? MPI_MAX
                                                      : MPI_BOR;
    MPI_Allreduce(MPI_IN_PLACE, numbers.data(), static_cast<int>(numbers.size()), MPI_UINT64_T, by,
                  ranks_);
  }

  void rest() override {
    MPI_Request waiting = MPI_REQUEST_NULL;
    MPI_Ibarrier(ranks_, &waiting);
    for (int done = 0; done == 0;) {
      MPI_Test(&waiting, &done, MPI_STATUS_IGNORE);
      if (done == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

  std::unique_ptr<Ranks> duplicate() override { return std::make_unique<MpiRanks>(ranks_, here_); }

 private:
  // Long messages go in pieces, because MPI counts bytes in an int.
  template <class Use>
  static void in_pieces(std::span<std::byte> bytes, const Use& use) {
    constexpr std::size_t most = std::size_t{1} << 30;
    while (!bytes.empty()) {
      const std::size_t size = std::min(bytes.size(), most);
      use(bytes.data(), static_cast<int>(size));
      bytes = bytes.subspan(size);
    }
  }

  MPI_Comm ranks_ = MPI_COMM_NULL;
  int rank_ = 0, count_ = 1;
  OnMachine here_;
};

MpiRanks::OnMachine all_on_this_machine() {
  MPI_Comm machine = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
  MpiRanks::OnMachine here;
  MPI_Comm_size(machine, &here.count);
  MPI_Comm_rank(machine, &here.index);
  MPI_Comm_free(&machine);
  return here;
}

bool are_there() {
  int initialized = 0, finalized = 0;
  MPI_Initialized(&initialized);
  MPI_Finalized(&finalized);
  return initialized != 0 && finalized == 0;
}

// Unsets a variable with a folder that the launcher has created only on its own machine.
void forget_missing_folder(const char* variable) {
  const char* const folder = std::getenv(variable);
  if (folder != nullptr && ::access(folder, W_OK) != 0) ::unsetenv(variable);
}

std::string library() {
  std::string text(MPI_MAX_LIBRARY_VERSION_STRING, '\0');
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  text.resize(length);
  std::istringstream words(text);  // the version is not the end of the text
  std::string name, other, version;
  words >> name >> other >> version;
  return name + " " + other + " " + version.substr(0, version.find(','));
}

std::unique_ptr<Ranks> join() {
  forget_missing_folder("OMPI_MCA_btl_vader_backing_directory");
  forget_missing_folder("OMPI_MCA_btl_sm_backing_directory");
  int given = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &given);
  if (given < MPI_THREAD_MULTIPLE)
    throw DeviceError("this MPI does not let several threads call it (MPI_THREAD_MULTIPLE)");
  return std::make_unique<MpiRanks>(MPI_COMM_WORLD, all_on_this_machine());
}

void leave() {
  if (are_there()) MPI_Finalize();
}

void end(int code) {
  if (are_there()) MPI_Abort(MPI_COMM_WORLD, code);
}

}  // namespace
}  // namespace lapl

extern "C" const lapl::MpiModule lapl_mpi;
const lapl::MpiModule lapl_mpi = {lapl::library, lapl::join, lapl::leave, lapl::end};
