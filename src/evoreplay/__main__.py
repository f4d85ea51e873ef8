"""`python -m evoreplay`."""

import sys

from evoreplay.cli import main

sys.exit(main())
