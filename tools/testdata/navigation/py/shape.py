"""Shop."""
from abc import ABC, abstractmethod
from dataclasses import dataclass

MAX = 3

class Shape(ABC):
    """Has an area.

    More about it.
    """
    @abstractmethod
    def area(self) -> float:
        """In square metres."""

@dataclass
class Square(Shape):
    side: float
    def area(self) -> float:
        def local(): return 1
        return self.side * self.side + local()
    @property
    def double(self) -> float: return 2
    class Inner:
        def deep(self): pass

s = "é 𝛼"; total = lambda shapes: sum(s.area() for s in shapes)
def main():
    q = Square(1); print(q.area(), total([q]))
