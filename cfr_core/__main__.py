"""`python -m cfr_core`, the same as the console command `cfr`."""

from cfr_core.cli import main

if __name__ == "__main__":
    main()
