# Spack recipe: put it into a repository as packages/gpusight/package.py, and the archive of `make dist` where
# Spack finds it (spack mirror, or spack install with `spack develop`).
from spack.package import *


class Gpusight(MesonPackage):
    """Analyzer of GPU performance traces: where the time went, what can be won back."""

    homepage = "file:///usr/share/doc/gpusight/html/index.html"  # it has no site; the manual comes with it
    manual_download = True  # an archive of 'make dist' in a mirror

    version("0.1.0")

    variant("cairo", default=True, description="PNG and PDF")
    variant("otf2", default=False, description="OTF2 archives")
    variant("llm", default=False, description="language models through libcurl instead of the program curl")
    variant("zstd", default=True, description=".zst traces")

    depends_on("c", type="build")
    depends_on("meson@1.0:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("sqlite")
    depends_on("zlib-api")
    depends_on("cairo+pdf", when="+cairo")
    depends_on("otf2", when="+otf2")
    depends_on("curl@7.85:", when="+llm")
    depends_on("zstd", when="+zstd")

    def meson_args(self):
        args = ["-Dtests=false"]
        for name in ("edit", "demangle", "openmpi", "mpich", "postgresql"):  # nothing of the system comes in unasked
            args.append(f"-D{name}=disabled")
        for name in ("cairo", "otf2", "llm", "zstd"):
            args.append(f"-D{name}={'enabled' if self.spec.satisfies('+' + name) else 'disabled'}")
        return args
