#include "app/view/plot/figure.hpp"

#include <cairo-pdf.h>
#include <cairo-svg.h>

#include <cstring>

#include "app/view/plot/canvas.hpp"
#include "app/view/plot/panel.hpp"

namespace lapl {
namespace {

cairo_status_t append(void* text, const unsigned char* bytes, unsigned int count) {
  static_cast<std::string*>(text)->append(reinterpret_cast<const char*>(bytes), count);
  return CAIRO_STATUS_SUCCESS;
}

CairoSurface image_surface(PictureSize size) {
  CairoSurface surface(cairo_image_surface_create(CAIRO_FORMAT_RGB24, size.width, size.height));
  check_cairo(cairo_surface_status(surface.get()));
  return surface;
}

void draw(cairo_surface_t* surface, const FigureLayout& layout, const std::vector<Panel>& panels) {
  const Canvas canvas(surface);
  for (std::size_t i = 0; i < panels.size(); ++i)
    draw_panel(canvas, panels[i], layout.panels[i], layout.font);
  check_cairo(canvas.status());
}

std::string png_of(cairo_surface_t* surface) {
  std::string bytes;
  check_cairo(cairo_surface_write_to_png_stream(surface, append, &bytes));
  return bytes;
}

}  // namespace

void require_drawing() {}

std::string draw_figure(PictureFormat format, PictureSize size, const FigureLayout& layout,
                        const std::vector<Panel>& panels) {
  if (format == PictureFormat::png) {
    const CairoSurface surface = image_surface(size);
    draw(surface.get(), layout, panels);
    return png_of(surface.get());
  }
  std::string bytes;
  const auto create = format == PictureFormat::svg ? cairo_svg_surface_create_for_stream
                                                   : cairo_pdf_surface_create_for_stream;
  const CairoSurface surface(create(append, &bytes, size.width, size.height));
  check_cairo(cairo_surface_status(surface.get()));
  draw(surface.get(), layout, panels);
  cairo_surface_finish(surface.get());
  check_cairo(cairo_surface_status(surface.get()));
  return bytes;
}

std::vector<Rgb> draw_pixels(PictureSize size, const FigureLayout& layout,
                             const std::vector<Panel>& panels) {
  const CairoSurface surface = image_surface(size);
  draw(surface.get(), layout, panels);
  cairo_surface_flush(surface.get());
  const auto width = static_cast<std::size_t>(size.width);
  std::vector<Rgb> pixels(width * static_cast<std::size_t>(size.height));
  const unsigned char* data = cairo_image_surface_get_data(surface.get());
  const auto stride = static_cast<std::size_t>(cairo_image_surface_get_stride(surface.get()));
  for (std::size_t row = 0; row < static_cast<std::size_t>(size.height); ++row)
    std::memcpy(pixels.data() + row * width, data + row * stride, width * sizeof(Rgb));
  return pixels;
}

}  // namespace lapl
