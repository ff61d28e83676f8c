// The library lapl_drawing, where this build has one.
#include "app/view/plot/drawing_module.hpp"
#include "app/view/plot/indexed_png.hpp"
#include "kernels/error.hpp"
#include "kernels/machine/module.hpp"

namespace lapl {
namespace {

const DrawingModule& drawing() {
#ifdef LAPL_HAS_CAIRO
  static const Module loaded = load_module("lapl_drawing");
  if (loaded.functions == nullptr) throw IoError("lapl cannot draw: {}", loaded.missing);
  return *static_cast<const DrawingModule*>(loaded.functions);
#else
  throw ConfigError(
      "lapl was built without cairo and cannot draw: install libcairo2-dev, then configure and "
      "build again");
#endif
}

}  // namespace

void require_drawing() { drawing(); }

std::string draw_figure(PictureFormat format, const FigureLayout& layout,
                        const std::vector<Panel>& panels) {
  if (format == PictureFormat::png) return drawn_png(layout.size, draw_pixels(layout, panels));
  return drawing().vectors(format, layout, panels);
}

std::vector<Rgb> draw_pixels(const FigureLayout& layout, const std::vector<Panel>& panels) {
  return drawing().pixels(layout, panels);
}

}  // namespace lapl
