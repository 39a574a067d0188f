"""Says for which system a wheel is, and which file is its program: LSPI_TAG and LSPI_PROGRAM of the environment."""

import os

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class PlatformTag(BuildHookInterface):
    def initialize(self, version, build_data):
        program = os.environ["LSPI_PROGRAM"]
        build_data["tag"] = os.environ["LSPI_TAG"]
        build_data["pure_python"] = False
        build_data["shared_scripts"][os.path.join(self.root, program)] = program
