#pragma once

#include <memory>

#include "kernels/ranks/halo.hpp"

namespace lapl {

/// The reason why the devices of these ranks cannot exchange directly, so that halos go
/// through host memory; empty if they can. All ranks must call it.
std::string why_no_device_ranks(Ranks& ranks);

/// Like make_halo, for a block on the current device. Exchanges by NCCL, or through host memory and
/// Ranks if `through_host` gives a reason. Throws DeviceError if NCCL or the device fails.
template <class T>
std::unique_ptr<Halo<T>> make_device_halo(Ranks& ranks, const Decomposition& by, int fields,
                                          const std::string& through_host);

/// The same with `devices` from Halo::devices() of another halo: through host memory if it is null.
/// A rank may call this function alone.
template <class T>
std::unique_ptr<Halo<T>> make_device_halo(const Decomposition& by, int rank, int fields,
                                          std::shared_ptr<DeviceRanks> devices);

}  // namespace lapl
