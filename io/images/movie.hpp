// Writes frames as one file: an animated PNG, or MP4 through ffmpeg.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "io/durable/temporary_file.hpp"
#include "io/images/pixels.hpp"

namespace lapl {

/// An animated PNG that repeats forever (https://www.w3.org/TR/png-3/, chunks acTL, fcTL and fdAT).
/// Programs that do not support animation show its first frame.
class AnimatedPng {
 public:
  AnimatedPng(int frames, int frames_per_second);

  /// Adds a frame, given as a PNG file's bytes. All frames have the same size and kind of pixels.
  void add(const std::string& png);

  /// The bytes of the file; all frames must have been added.
  std::string finished();

 private:
  int frames_, frames_per_second_;
  int added_ = 0;
  std::uint32_t sequence_ = 0;
  std::string bytes_;
};

/// True if ffmpeg is in an absolute folder of PATH.
bool ffmpeg_found();

/// An MP4 file, encoded by an ffmpeg process as frames are added; finish() puts it at `path`.
class FfmpegMovie {
 public:
  /// Throws IoError if ffmpeg cannot be started.
  FfmpegMovie(const std::filesystem::path& path, PictureSize size, int frames_per_second);
  FfmpegMovie(const FfmpegMovie&) = delete;
  ~FfmpegMovie();

  void add(const std::vector<Rgb>& pixels) const;

  /// Throws IoError if ffmpeg failed; ffmpeg writes its own message to stderr.
  void finish();

 private:
  int wait();

  TemporaryFile temporary_;
  PosixFile file_;  // open beside ffmpeg, to protect the file and to sync it
  int input_ = -1;
  pid_t child_ = -1;
};

}  // namespace lapl
