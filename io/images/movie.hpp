// Frames as one file: an animated PNG, or MP4 through ffmpeg.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "io/durable/posix_file.hpp"
#include "io/images/pixels.hpp"

namespace lapl {

/// Animated PNG (https://www.w3.org/TR/png-3/, chunks acTL, fcTL and fdAT), played for ever. Shown
/// as its first frame where animation is not known.
class AnimatedPng {
 public:
  AnimatedPng(int frames, int frames_per_second);

  /// The bytes of a PNG file; all frames have the same size and kind of pixels.
  void add(const std::string& png);

  /// The file, once all frames are added.
  std::string finished();

 private:
  void chunk(const char* type, const std::string& data);

  int frames_, frames_per_second_;
  int added_ = 0;
  std::uint32_t sequence_ = 0;
  std::string bytes_;
};

/// True where ffmpeg is in an absolute folder of PATH.
bool ffmpeg_found();

/// MP4 written by ffmpeg, which runs meanwhile; at `path` once finished, else nowhere.
class FfmpegMovie {
 public:
  /// Throws IoError where ffmpeg cannot be started.
  FfmpegMovie(std::filesystem::path path, PictureSize size, int frames_per_second);
  FfmpegMovie(const FfmpegMovie&) = delete;
  ~FfmpegMovie();

  void add(const std::vector<Rgb>& pixels) const;

  /// Throws IoError where ffmpeg failed; what it said is on stderr.
  void finish();

 private:
  int wait();

  std::filesystem::path path_, scratch_;
  PosixFile held_;  // scratch_
  int input_ = -1;
  pid_t child_ = -1;
};

}  // namespace lapl
