#include "io/images/picture_texts.hpp"

#include <zlib.h>

#include <string_view>

#include "io/durable/posix_file.hpp"
#include "io/images/big_endian.hpp"
#include "io/json.hpp"
#include "io/readers/file_kind.hpp"
#include "io/xml_text.hpp"
#include "kernels/error.hpp"

namespace lapl {
namespace {

constexpr std::string_view signature = "\x89PNG\r\n\x1a\n";
constexpr std::size_t header_end = 33;  // the signature and chunk IHDR
constexpr std::string_view opening = "<metadata>", closing = "</metadata>";

bool is_png(std::string_view bytes) { return bytes.starts_with(signature); }

std::string replaced(std::string text, std::string_view what, std::string_view by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
  return text;
}

Provenance texts_of_png(std::string_view bytes, const std::string& file) {
  Provenance texts;
  std::string_view type;
  for (std::size_t at = signature.size(); type != "IEND";) {
    const std::size_t left = bytes.size() - at, length = left < 12 ? left : number_at(bytes, at);
    if (length + 12 > left) throw IoError("{}: a PNG that is cut off", file);
    type = bytes.substr(at + 4, 4);
    const std::string_view data = bytes.substr(at + 8, length);
    if (png_chunk(std::string(type), std::string(data)) != bytes.substr(at, length + 12))
      throw IoError("{}: a PNG with a wrong checksum (the file is damaged)", file);
    // name, 0, two bytes for text that is not compressed, language, 0, translated name, 0, text
    const std::size_t name = data.find('\0');
    if (type == "iTXt" && name != data.npos &&
        data.substr(name, 5) == std::string_view("\0\0\0\0\0", 5))
      texts.emplace_back(data.substr(0, name), data.substr(name + 5));
    at += 12 + length;
  }
  return texts;
}

Provenance texts_of_svg(const std::string& bytes) {
  const std::size_t begin = bytes.find(opening), end = bytes.find(closing);
  if (begin == bytes.npos || end == bytes.npos) return {};
  std::string text = bytes.substr(begin + opening.size(), end - begin - opening.size());
  text = replaced(replaced(replaced(text, "&lt;", "<"), "&gt;", ">"), "&amp;", "&");
  const auto values = parse_json(text);
  Provenance texts;
  if (values.is_object())
    for (const auto& [name, value] : values.items())
      if (value.is_string()) texts.emplace_back(name, value.get<std::string>());
  return texts;
}

}  // namespace

std::string png_chunk(const std::string& type, const std::string& data) {
  const std::string body = type + data;
  const uLong sum = crc32_z(0, reinterpret_cast<const Bytef*>(body.data()), body.size());
  return big_endian(static_cast<std::uint32_t>(data.size())) + body +
         big_endian(static_cast<std::uint32_t>(sum));
}

std::string with_texts(std::string picture, const Provenance& texts) {
  std::string added;
  if (is_png(picture)) {
    for (const auto& [name, text] : texts)
      added += png_chunk("iTXt", name + std::string(5, '\0') + text);
    return picture.insert(header_end, added);
  }
  added = xml_text(json_text(json_object(texts)));
  const std::size_t end_of_tag = picture.find('>', picture.find("<svg"));
  return picture.insert(end_of_tag + 1, '\n' + std::string(opening) + added + std::string(closing));
}

std::optional<Provenance> read_picture_texts(const std::filesystem::path& file) {
  constexpr std::uint64_t most = 1 << 30;
  const std::string start = read_start(file, 4096);
  const bool is_pdf = start.starts_with("%PDF-");
  const bool is_svg =
      (start.starts_with("<?xml") || start.starts_with("<svg")) && start.find("<svg") != start.npos;
  if ((!is_png(start) && !is_svg && !is_pdf) || is_hdf5_after_text(file)) return std::nullopt;
  if (is_pdf)
    throw IoError("{}: a PDF (pdfinfo prints where it comes from, as its subject)", file.string());
  const std::string bytes = read_start(file, most);
  if (bytes.size() == most) throw IoError("{}: a picture of 1 GiB or more", file.string());
  return is_svg ? texts_of_svg(bytes) : texts_of_png(bytes, file.string());
}

}  // namespace lapl
