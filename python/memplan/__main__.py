"""``python -m memplan``: the command line."""

import subprocess
import sys

from ._program import Error, find

if __name__ == "__main__":
    try:
        program = find()
    except Error as error:
        sys.exit(str(error))
    try:
        sys.exit(subprocess.call([program, *sys.argv[1:]]))
    except KeyboardInterrupt:
        sys.exit(130)
