from .circle_back import around
