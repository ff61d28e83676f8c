// A surface of a volume on which a field has one value, seen from far away.
#pragma once

#include "app/view/plot/plot_panels.hpp"

namespace lapl {

/// The extent of a picture of a grid of three axes from there, in units of its width.
Extent surface_extent(Shape shape, const IsoSurface& surface);

/// The surface, seen through a box of `box.rows` x `box.columns` pixels: its brightness by
/// Lambert's law from 0 to 1, where a ray meets it, else NaN. Rays are parallel. Along a ray the
/// field is trilinear between nodes, in steps of half the least spacing; it meets the surface where
/// two steps lie on its two sides, so thinner parts can be missed. No part lies between nodes of
/// which one is not finite. The range is that of the finite values.
DrawnField surface_field(const std::string& name, FieldView values, Shape shape, Shape box,
                         const IsoSurface& surface);

/// Makes the panel of a surface_field a picture of it: title, colours from dark to bright, the
/// edges of the grid's box behind the surface and in front, the names of its axes.
void finish_surface(Panel& panel, const IsoSurface& surface, const std::string& colormap);

}  // namespace lapl
