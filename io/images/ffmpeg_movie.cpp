#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "io/images/movie.hpp"
#include "kernels/error.hpp"
#include "kernels/machine/program_on_path.hpp"

namespace lapl {
namespace {

std::string ffmpeg() { return program_in(absolute_folders_of_path(), "ffmpeg"); }

}  // namespace

bool ffmpeg_found() { return !ffmpeg().empty(); }

FfmpegMovie::FfmpegMovie(const std::filesystem::path& path, PictureSize size, int frames_per_second)
    : temporary_(path), file_(temporary_.open(O_WRONLY | O_CREAT | O_EXCL)) {
  // A socket, because send with MSG_NOSIGNAL returns an error if the reader has ended, whereas
  // writing to a pipe would raise SIGPIPE.
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw_system_error("ffmpeg", "make a socket");
  std::vector<std::string> words = {
      // Without -xerror, ffmpeg may end with code 0 although it could not write everything.
      ffmpeg(), "-v", "error", "-xerror", "-y", "-f", "rawvideo", "-pix_fmt", "bgr0", "-s",
      fmt::format("{}x{}", size.width, size.height), "-r", std::to_string(frames_per_second), "-i",
      "pipe:0",
      // Players need an even width and height, and colours at half resolution.
      "-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2:color=white", "-pix_fmt", "yuv420p", "-movflags",
      "+faststart", "-f", "mp4", "file:" + temporary_.path().string()};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
  const int error =
      ::posix_spawn(&child_, arguments.front(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[0]);
  input_ = ends[1];
  if (error != 0) {
    ::close(input_);
    errno = error;
    throw_system_error("ffmpeg", "start");
  }
}

FfmpegMovie::~FfmpegMovie() {
  if (child_ >= 0) wait();
}

void FfmpegMovie::add(const std::vector<Rgb>& pixels) const {
  const char* bytes = reinterpret_cast<const char*>(pixels.data());
  for (std::size_t left = pixels.size() * sizeof(Rgb); left > 0;) {
    const ssize_t sent = ::send(input_, bytes, left, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) throw_system_error(temporary_.target().string(), "hand a frame to ffmpeg");
    bytes += sent;
    left -= static_cast<std::size_t>(sent);
  }
}

int FfmpegMovie::wait() {
  ::close(input_);
  int status = 0;
  while (::waitpid(child_, &status, 0) < 0 && errno == EINTR) {
  }
  child_ = -1;
  return status;
}

void FfmpegMovie::finish() {
  const int status = wait();
  if (status != 0)
    throw IoError("{}: ffmpeg could not write the movie (status {})", temporary_.target().string(),
                  WIFEXITED(status) ? WEXITSTATUS(status) : status);
  temporary_.commit(file_);
}

}  // namespace lapl
