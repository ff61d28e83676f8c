// Files of lines that grow at their end, such as logs and tables.
#pragma once

#include <filesystem>
#include <string>

namespace lapl {

/// When appended lines are synced to the disk: at once, or by a later sync_lines.
enum class Durable { now, later };

/// Appends all lines; if it cannot, throws IoError and has appended none.
void append_lines(const std::filesystem::path& path, const std::string& lines, Durable durable);

/// True for a file with other hard links, as in a folder copied by cp -l.
bool is_shared(const std::filesystem::path& path);

/// Replaces a file that has other hard links by a copy.
void unshare(const std::filesystem::path& path);

/// Removes an incomplete last line, which a process killed during a write may leave.
void drop_torn_line(const std::filesystem::path& path);

/// Makes appended lines durable; does nothing if there is no such file. Throws IoError.
void sync_lines(const std::filesystem::path& path);

}  // namespace lapl
