#include "io/run/output_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <span>
#include <string_view>

#include "io/config/config_text.hpp"
#include "io/durable/durable_file.hpp"
#include "io/durable/lines.hpp"
#include "io/durable/posix_file.hpp"
#include "kernels/error.hpp"

namespace lapl {
namespace fs = std::filesystem;

namespace {

constexpr std::string_view heading = "step,state_digest\n", anew = "anew,\n";

std::string list_line(std::int64_t step, std::uint64_t digest) {
  return fmt::format("{},{:#018x}\n", step, digest);
}
std::string missing_line(std::int64_t step) { return fmt::format("{},missing\n", step); }

std::string output_lines(const OutputDigests& outputs) {
  std::string lines;
  for (const auto& [step, digest] : outputs) lines += list_line(step, digest);
  return lines;
}

// If several lines are about one step, the last one counts.
OutputDigests outputs_in(std::string_view lines) {
  OutputDigests outputs;
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find('\n') + 1);
    lines.remove_prefix(line.size());
    if (line == heading) continue;
    if (line == anew) {
      outputs.clear();
      continue;
    }
    std::int64_t step = -1;
    std::uint64_t digest = 0;
    const char* const comma = std::from_chars(line.begin(), line.end(), step).ptr;
    std::from_chars(std::min(comma + 3, line.end()), line.end(), digest, 16);
    if (line == list_line(step, digest))
      outputs[step] = digest;
    else if (line == missing_line(step))
      outputs.erase(step);
    else
      throw IoError("has the line {} (expected a step and a digest)", shown(std::string(line)));
  }
  return outputs;
}

void add_to(SealMaker& seal, OutputListMark& mark, std::string_view lines) {
  seal.add(std::as_bytes(std::span(lines)));
  mark = {mark.bytes + lines.size(), digest_in(seal.seal())};
}

OutputListMark list_mark(std::string_view text) {
  SealMaker seal;
  OutputListMark mark;
  add_to(seal, mark, text);
  return mark;
}

}  // namespace

fs::path output_list_beside(const fs::path& checkpoint) {
  return checkpoint.parent_path() / "outputs.csv";
}

OutputDigests read_output_list(const fs::path& path, const OutputListMark& mark) {
  const std::string text = read_start(path, mark.bytes);
  if (list_mark(text) != mark)
    throw IoError("{}: its first {} bytes are not as they were stored", path.string(), mark.bytes);
  try {
    return outputs_in(text);
  } catch (const IoError& error) {
    throw IoError("{}: {}", path.string(), error.what());
  }
}

OutputList::OutputList(fs::path path, const OutputDigests& outputs,
                       const std::optional<OutputListMark>& mark)
    : path_(std::move(path)) {
  drop_torn_line(path_);
  const std::string text = fs::exists(path_) ? read_start(path_) : "";
  add_to(stored_, mark_, text);
  if (mark_ == mark)
    outputs_ = outputs_in(text);
  else
    waiting_ = text.empty() ? heading : anew;
  const OutputDigests listed = outputs_;
  for (const auto& [step, digest] : listed)
    if (!outputs.contains(step)) remove(step);
  for (const auto& [step, digest] : outputs)
    if (const auto known = listed.find(step); known == listed.end() || known->second != digest)
      add(step, digest);
}

void OutputList::add(std::int64_t step, std::uint64_t state_digest) {
  outputs_[step] = state_digest;
  waiting_ += list_line(step, state_digest);
}

void OutputList::remove(std::int64_t step) {
  outputs_.erase(step);
  waiting_ += missing_line(step);
}

OutputListMark OutputList::store() {
  std::error_code error;
  const std::uintmax_t size = fs::file_size(path_, error);
  if ((error ? 0 : size) == mark_.bytes) {
    if (!waiting_.empty()) append_lines(path_, waiting_, Durable::now);
  } else {
    waiting_ = std::string(heading) + output_lines(outputs_);
    replace_file(path_, waiting_);
    stored_ = SealMaker();
    mark_ = {};
  }
  add_to(stored_, mark_, waiting_);
  waiting_.clear();
  return mark_;
}

}  // namespace lapl
