"""The parts of the package that follow from the command inside it: version and platform.

RIFFLE_BINARY is a built command to put inside, RIFFLE_PLATFORM the wheel's platform tag and RIFFLE_VERSION
its version, as `make wheel` sets them. Without them the package takes the command that is on the PATH.
"""

import os
import pathlib
import shutil

from setuptools import Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py

BINARY = os.environ.get("RIFFLE_BINARY")


class Build(build_py):
    def run(self):
        super().run()
        if BINARY:
            to = pathlib.Path(self.build_lib, "riffle_ml/bin")
            to.mkdir(parents=True, exist_ok=True)
            shutil.copy(BINARY, to / ("riffle.exe" if BINARY.endswith(".exe") else "riffle"))


class Platform(Distribution):
    def has_ext_modules(self):
        return bool(BINARY)


class Wheel(bdist_wheel):
    def get_tag(self):
        return ("py3", "none", os.environ["RIFFLE_PLATFORM"]) if BINARY else super().get_tag()


setup(version=os.environ.get("RIFFLE_VERSION", "0.0.0"), distclass=Platform, cmdclass={"build_py": Build, "bdist_wheel": Wheel})
