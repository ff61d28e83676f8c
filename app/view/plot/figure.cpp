// Draws figures with cairo; part of the library lapl_cairo.
#include <cairo-pdf.h>
#include <cairo-svg.h>

#include "app/view/plot/cairo_module.hpp"
#include "app/view/plot/canvas.hpp"
#include "app/view/plot/panel.hpp"

namespace lapl {
namespace {

cairo_status_t append(void* text, const unsigned char* bytes, unsigned int count) {
  static_cast<std::string*>(text)->append(reinterpret_cast<const char*>(bytes), count);
  return CAIRO_STATUS_SUCCESS;
}

void draw(const CairoSurface& surface, const FigureLayout& layout,
          const std::vector<Panel>& panels) {
  check_cairo(cairo_surface_status(surface.get()));
  const Canvas canvas(surface.get());
  for (std::size_t i = 0; i < panels.size(); ++i)
    draw_panel(canvas, panels[i], layout.panels[i], layout.font);
  check_cairo(canvas.status());
}

std::string figure(PictureFormat format, const FigureLayout& layout,
                   const std::vector<Panel>& panels) {
  std::string bytes;
  const auto create = format == PictureFormat::svg ? cairo_svg_surface_create_for_stream
                                                   : cairo_pdf_surface_create_for_stream;
  const CairoSurface surface(create(append, &bytes, layout.size.width, layout.size.height));
  if (format == PictureFormat::pdf)  // without the time of day, equal figures are equal files
    cairo_pdf_surface_set_metadata(surface.get(), CAIRO_PDF_METADATA_CREATE_DATE, "");
  draw(surface, layout, panels);
  cairo_surface_finish(surface.get());
  check_cairo(cairo_surface_status(surface.get()));
  return bytes;
}

std::vector<Rgb> pixels_of(const FigureLayout& layout, const std::vector<Panel>& panels) {
  const CairoSurface surface(
      cairo_image_surface_create(CAIRO_FORMAT_RGB24, layout.size.width, layout.size.height));
  draw(surface, layout, panels);
  cairo_surface_flush(surface.get());
  // Rows of 32-bit pixels have no padding.
  const auto* pixels = reinterpret_cast<const Rgb*>(cairo_image_surface_get_data(surface.get()));
  return {pixels, pixels + std::int64_t{layout.size.width} * layout.size.height};
}

}  // namespace
}  // namespace lapl

extern "C" const lapl::CairoModule lapl_cairo;
const lapl::CairoModule lapl_cairo = {lapl::figure, lapl::pixels_of};
