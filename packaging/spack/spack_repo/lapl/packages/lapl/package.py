"""Spack package of lapl, for Spack 1.0 or newer. Untested outside: nobody has installed lapl with Spack yet."""

from spack_repo.builtin.build_systems.cmake import CMakePackage
from spack_repo.builtin.build_systems.cuda import CudaPackage

from spack.package import *


class Lapl(CMakePackage, CudaPackage):
    """Solves partial differential equations on regular grids, on a GPU or a CPU, from YAML to HDF5."""

    license("MIT")

    # No version has a download yet: packaging/README.md installs from a clone.
    version("0.2.0")

    variant("cairo", default=True, description="Draw pictures and movies (lapl plot)")
    variant("netcdf", default=True, description="Read classic netCDF files")
    variant("tiff", default=True, description="Read TIFF files")
    variant("deflate", default=True, description="Compress outputs by libdeflate")
    variant("mpi", default=True, description="Run on several ranks (lapl run --ranks)")
    variant("nccl", default=True, when="+cuda+mpi", description="Exchange halos of GPUs by NCCL")

    depends_on("c", type="build")
    depends_on("cxx", type="build")  # the c++ on PATH compiles the formulas of a run
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("git", type="build")  # for the commit that outputs name
    depends_on("help2man", type="build")

    # The lowest versions are those of Debian 12. HDF5 2 and fmt 11 have not been tried.
    depends_on("hdf5@1.10.8:1.14 +hl ~mpi")
    depends_on("yaml-cpp@0.7:")
    depends_on("fmt@9.1:10")
    depends_on("cli11@2.1.2:", type="build")
    depends_on("nlohmann-json@3.11:", type="build")
    depends_on("fftw@3.3.10: ~mpi precision=float,double")
    depends_on("libpng@1.6.39:")
    depends_on("xxhash@0.8.1:", type="build")  # header only
    depends_on("doctest@2.4.9:", type="test")
    depends_on("cairo@1.16: +png +pdf +svg", when="+cairo")
    depends_on("netcdf-c@4.9: ~mpi", when="+netcdf")
    depends_on("libtiff@4.5:", when="+tiff")
    depends_on("libdeflate@1.14:", when="+deflate")
    depends_on("zlib-api")
    depends_on("mpi", when="+mpi")
    depends_on("cuda@12:", when="+cuda")
    depends_on("nccl", when="+nccl")

    conflicts("cuda_arch=none", when="+cuda", msg="cuda_arch is needed, such as cuda_arch=90")
    requires("target=x86_64:", msg="lapl is for x86-64")
    requires("platform=linux", msg="lapl is for Linux")

    generator("ninja")

    def cmake_args(self):
        args = [
            self.define_from_variant("LAPL_CUDA", "cuda"),
            self.define_from_variant("LAPL_MPI", "mpi"),
            self.define("LAPL_TESTS", self.run_tests),
        ]
        if self.spec.satisfies("+cuda"):
            args.append(self.define("CMAKE_CUDA_ARCHITECTURES", self.spec.variants["cuda_arch"].value))
        return args
