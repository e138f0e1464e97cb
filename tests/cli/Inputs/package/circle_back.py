from .circle import around
