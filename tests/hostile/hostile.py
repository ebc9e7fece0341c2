"""The catalogue of hostile inputs: small files and folders that once made a program of this kind
crash, hang, grow, leak or lie, and their relatives.

    hostile.py PROGRAM FOLDER [NAME...]    writes them, to look at one by hand

An input is a function in one of the modules below, `def NAME(folder)`, that writes into the folder
it is given and returns the path to give to gpusight (a list for several). Its docstring says what
is hostile about it. @item sets what is special:

    kind       "trace" (the default), "source" (a tree for --source-dir), "description" (for synth),
               "att" (for --att-dir too) or "baseline" (a saved profile)
    forbidden  bytes that no output may hold
    secret     what they are a part of, for commands that copy such ("command", "environment")
    sound      nothing is wrong with it: commands must succeed
    damaged    commands must refuse it
    apart      its paths are given one by one, not together
    heavy      takes seconds for each command: fewer of them in the short form

Modules called make_*.py hold functions `def NAME(path)`, which write one input to that path.
"""
import glob
import importlib
import inspect
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True  # leave no files in the tree
sys.path.insert(0, HERE)
import seeds  # noqa: E402

MODULES = ["items_sound", "items_names", "items_arithmetic", "items_database", "items_amplify",
           "items_special", "items_forms", "items_wire", "items_counters"]


class Input:
    def __init__(self, name, function, call):
        self.name, self.call = name, call
        self.doc = (function.__doc__ or "").strip()
        marks = getattr(function, "hostile", {})
        self.kind = marks.get("kind", "trace")
        self.forbidden, self.secret = marks.get("forbidden"), marks.get("secret")
        self.sound = marks.get("sound", False)
        self.apart = marks.get("apart", False)
        self.damaged = marks.get("damaged", False)
        self.heavy = marks.get("heavy", False)

    def make(self, folder):
        """Writes it into the folder, which must not be there; the paths to give to gpusight."""
        os.makedirs(folder)
        paths = self.call(folder)
        return paths if isinstance(paths, list) else [paths]


def item(**marks):
    def mark(function):
        function.hostile = marks
        return function
    return mark


def functions_of(module, parameter):
    for name, f in vars(module).items():
        if inspect.isfunction(f) and f.__module__ == module.__name__ and not name.startswith("_"):
            required = [p.name for p in inspect.signature(f).parameters.values()
                        if p.default is p.empty]
            if required == [parameter] and f.__doc__:
                yield name, f


def in_folder(name, function):
    ending = getattr(function, "ending", "")
    def call(folder):
        path = os.path.join(folder, name + ending)
        made = function(path)
        return made if isinstance(made, (str, list)) else path
    return call


def catalogue():
    """All inputs, in a fixed order."""
    found = []
    for module in MODULES:
        for name, f in functions_of(importlib.import_module(module), "folder"):
            found.append(Input(name, f, f))
    for path in sorted(glob.glob(os.path.join(HERE, "make_*.py"))):
        module = importlib.import_module(os.path.basename(path)[:-3])
        for name, f in functions_of(module, "path"):
            found.append(Input(f"{module.__name__[5:]}_{name}", f, in_folder(name, f)))
    names = [i.name for i in found]
    assert len(names) == len(set(names)), "two inputs have the same name"
    return found


def main():
    program, folder, *names = sys.argv[1:]
    seeds.set_program(program)
    for i in catalogue():
        if not names or i.name in names:
            print(i.name, *i.make(os.path.join(folder, i.name)))


if __name__ == "__main__":
    main()
