import numpy as np
from numpy.typing import NDArray

def integer_noise(law: str, scale: str, size: int) -> NDArray[np.int64]: ...
