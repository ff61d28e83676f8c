// Loads the library lapl_cairo, if this build has it.
#include "app/view/plot/cairo_module.hpp"
#include "app/view/plot/indexed_png.hpp"
#include "io/images/picture_texts.hpp"
#include "io/json.hpp"
#include "kernels/error.hpp"
#include "kernels/machine/load_module.hpp"

namespace lapl {
namespace {

const CairoModule& cairo() {
#ifdef LAPL_HAS_CAIRO
  static const LoadedModule loaded = load_module("lapl_cairo", false);
  if (loaded.table == nullptr) throw IoError("lapl cannot draw: {}", loaded.missing);
  return *static_cast<const CairoModule*>(loaded.table);
#else
  throw ConfigError(
      "lapl was built without cairo and cannot draw: install libcairo2-dev, then configure and "
      "build again");
#endif
}

}  // namespace

void require_drawing() { cairo(); }

std::string draw_figure(PictureFormat format, const FigureLayout& layout,
                        const std::vector<Panel>& panels, const Provenance& about) {
  if (format == PictureFormat::png)
    return with_texts(drawn_png(layout.size, draw_pixels(layout, panels)), about);
  std::string figure = cairo().draw_figure(format, layout, panels, json_text(json_object(about)));
  return format == PictureFormat::svg ? with_texts(std::move(figure), about) : figure;
}

std::vector<Rgb> draw_pixels(const FigureLayout& layout, const std::vector<Panel>& panels) {
  return cairo().draw_pixels(layout, panels);
}

}  // namespace lapl
