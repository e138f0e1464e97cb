from .constants import SCALE
