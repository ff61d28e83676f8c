// Files of lines that grow at their end, such as logs and tables.
#pragma once

#include <filesystem>
#include <string>

namespace lapl {

/// When lines are safe on the disk: at once, or when the file is synced next.
enum class Durable { now, later };

/// Adds lines, or nothing of them. Throws IoError.
void append_lines(const std::filesystem::path& path, const std::string& lines, Durable durable);

/// Whether other names lead to the same file, as in a folder that was copied with hard links.
bool is_shared(const std::filesystem::path& path);

/// Makes a shared file one of its own.
void unshare(const std::filesystem::path& path);

/// Drops a last line without its end: a process that is killed while it writes may leave one.
void drop_torn_line(const std::filesystem::path& path);

/// Makes what was added durable, where there is such a file. Throws IoError.
void sync_lines(const std::filesystem::path& path);

}  // namespace lapl
