// By NCCL; without it, devices do not talk.
#include "kernels/cuda/device_ranks.hpp"

#include <algorithm>
#include <span>

#include "kernels/cuda/cuda_check.hpp"
#include "kernels/cuda/device_info.hpp"
#include "kernels/error.hpp"
#ifdef LAPL_HAS_NCCL
#include <nccl.h>
#endif

namespace lapl {

#ifdef LAPL_HAS_NCCL
namespace {

void check_nccl(ncclResult_t result, const char* call) {
  if (result != ncclSuccess) throw DeviceError("NCCL: {}: {}", call, ncclGetErrorString(result));
}
#define LAPL_NCCL(call) check_nccl((call), #call)

class NcclRanks final : public DeviceRanks {
 public:
  NcclRanks(const ncclUniqueId& id, int rank, int count) {
    LAPL_NCCL(ncclCommInitRank(&ranks_, count, id, rank));
  }
  NcclRanks(const NcclRanks&) = delete;
  NcclRanks& operator=(const NcclRanks&) = delete;
  ~NcclRanks() override { ncclCommDestroy(ranks_); }

  void exchange(const std::vector<Message>& sent, const std::vector<Message>& received,
                cudaStream_t stream) override {
    LAPL_NCCL(ncclGroupStart());
    for (const Message& message : sent)
      LAPL_NCCL(ncclSend(message.values, message.bytes, ncclChar, message.peer, ranks_, stream));
    for (const Message& message : received)
      LAPL_NCCL(ncclRecv(message.values, message.bytes, ncclChar, message.peer, ranks_, stream));
    LAPL_NCCL(ncclGroupEnd());
  }

 private:
  ncclComm_t ranks_ = nullptr;
};

bool has_equal(const std::vector<std::vector<std::byte>>& all) {
  return std::ranges::any_of(all,
                             [&](const auto& one) { return std::ranges::count(all, one) > 1; });
}

}  // namespace

std::unique_ptr<DeviceRanks> make_device_ranks(Ranks& ranks, int count, std::string& why) {
  const bool takes_part = ranks.rank() < count;
  cudaDeviceProp properties{};
  if (takes_part) LAPL_CUDA(cudaGetDeviceProperties(&properties, current_device()));
  std::vector<std::vector<std::byte>> devices =
      gather(ranks, std::as_bytes(std::span(properties.uuid.bytes)));
  devices.resize(std::min(devices.size(), static_cast<std::size_t>(count)));
  // NCCL refuses ranks that share one.
  const bool shared = of_first(ranks, has_equal(devices));
  if (shared) {
    why = "ranks share a GPU";
    return nullptr;
  }
  ncclUniqueId id{};
  if (ranks.is_first()) LAPL_NCCL(ncclGetUniqueId(&id));
  id = of_first(ranks, id);
  if (!takes_part) return nullptr;
  return std::make_unique<NcclRanks>(id, ranks.rank(), count);
}

#else

std::unique_ptr<DeviceRanks> make_device_ranks(Ranks&, int, std::string& why) {
  why = "NCCL was not compiled in";
  return nullptr;
}

#endif

}  // namespace lapl
