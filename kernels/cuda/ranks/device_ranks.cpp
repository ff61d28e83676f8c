// Messages between devices by NCCL. A build without NCCL has none.
#include "kernels/cuda/ranks/device_ranks.hpp"

#include <algorithm>
#include <cstdlib>
#include <span>

#include "kernels/cuda/device/cuda_check.hpp"
#include "kernels/cuda/device/device_info.hpp"
#include "kernels/cuda/ranks/device_halo.hpp"
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

std::string why_no_device_ranks(Ranks& ranks) {
  if (ranks.count() == 1) return {};
  cudaDeviceProp properties{};
  LAPL_CUDA(cudaGetDeviceProperties(&properties, current_device()));
  std::string device(properties.uuid.bytes, sizeof properties.uuid.bytes);
  // Like NCCL, uses this variable to tell machines apart.
  if (const char* machine = std::getenv("NCCL_HOSTID")) device += machine;
  const auto devices = gather(ranks, std::as_bytes(std::span(device)));
  // NCCL does not support two ranks on one device.
  return of_first(ranks, has_equal(devices)) ? "ranks share a GPU" : "";
}

std::unique_ptr<DeviceRanks> make_device_ranks(Ranks& ranks, int count) {
  ncclUniqueId id{};
  if (ranks.is_first()) LAPL_NCCL(ncclGetUniqueId(&id));
  id = of_first(ranks, id);
  if (ranks.rank() >= count) return nullptr;
  return std::make_unique<NcclRanks>(id, ranks.rank(), count);
}

#else

std::string why_no_device_ranks(Ranks&) { return "NCCL was not compiled in"; }

std::unique_ptr<DeviceRanks> make_device_ranks(Ranks&, int) { return nullptr; }

#endif

}  // namespace lapl
