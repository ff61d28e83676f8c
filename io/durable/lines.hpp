// Files of lines that grow at their end, such as logs and tables.
#pragma once

#include <filesystem>
#include <string>

namespace lapl {

/// When added lines are synced to the disk: at once, or by a later sync of the file.
enum class Durable { now, later };

/// Appends all lines, or none where it throws IoError.
void append_lines(const std::filesystem::path& path, const std::string& lines, Durable durable);

/// True for a file with other hard links, as in a folder copied by cp -l.
bool is_shared(const std::filesystem::path& path);

/// Replaces a shared file by a copy of its own.
void unshare(const std::filesystem::path& path);

/// Drops a last line without its end, which a process killed while writing may leave.
void drop_torn_line(const std::filesystem::path& path);

/// Makes added lines durable; does nothing where there is no such file. Throws IoError.
void sync_lines(const std::filesystem::path& path);

}  // namespace lapl
