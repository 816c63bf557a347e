from collections.abc import Callable
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

_Progress = Callable[[str, float], object] | None

class Findings:
    def to_json(self) -> str: ...
    def summary(self) -> str: ...
    def notes(self) -> list[str]: ...
    def events(self) -> list[str | None]: ...
    def evidence(self) -> list[str]: ...
    def only(self, place: int) -> Findings | None: ...
    def page(self, command: str, date: str) -> str: ...

def of_callable(
    release: Callable[[Any], object],
    worlds: tuple[Any, Any],
    name: str,
    pair: str,
    epsilon: str | None,
    delta: str,
    rho: str | None,
    trials: int,
    confidence: float,
    progress: _Progress,
) -> Findings: ...
def mechanisms(
    epsilon: str, names: list[str], releases: int | None, confidence: float, progress: _Progress
) -> Findings: ...
def planted(names: list[str], releases: int | None, confidence: float, progress: _Progress) -> Findings: ...
def local(
    line: str | None, epsilon: str, releases: int | None, confidence: float, progress: _Progress
) -> Findings: ...
def graphs(epsilon: str, releases: int | None, confidence: float, progress: _Progress) -> Findings: ...
def graph(
    nodes: int,
    sources: NDArray[np.uint32],
    targets: NDArray[np.uint32],
    listed: bool,
    statistic: str,
    privacy: str,
    method: str | None,
    epsilon: str,
    delta: str | None,
    releases: int | None,
    confidence: float,
    progress: _Progress,
) -> Findings: ...
def query(
    sql: str,
    catalog: str | PathLike[str],
    options: list[tuple[str, str]],
    person: str | None,
    on_data: bool,
    releases: int | None,
    confidence: float,
    progress: _Progress,
) -> Findings: ...
def everything(epsilon: str, releases: int | None, confidence: float, progress: _Progress) -> Findings: ...
