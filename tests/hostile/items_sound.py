"""Inputs with nothing wrong: they show that the commands do something at all."""
import seeds
from hostile import item


@item(sound=True)
def sound_rocpd(folder):
    """A small rocpd trace."""
    return seeds.rocpd(f"{folder}/a.db")


@item(sound=True)
def sound_nsys(folder):
    """A small Nsight Systems export."""
    return seeds.nsys(f"{folder}/a.sqlite")


@item(sound=True)
def sound_kineto(folder):
    """A small trace of the PyTorch profiler."""
    return seeds.kineto(f"{folder}/a.json")


@item(sound=True)
def sound_rocprofv3_json(folder):
    """A small JSON trace of rocprofv3."""
    return seeds.rocprofv3_json(f"{folder}/a_results.json")


@item(sound=True)
def sound_rpd(folder):
    """A small RPD trace."""
    return seeds.rpd(f"{folder}/a.rpd")


@item(sound=True)
def sound_csv(folder):
    """A folder with CSV files of rocprofv3."""
    return seeds.rocprofv3_csv(f"{folder}/csv")


@item(sound=True)
def sound_job(folder):
    """Two ranks of a job."""
    return seeds.job(f"{folder}/job")


def sound_workload(folder):
    """A folder of rocprof-compute; commands that need a timeline refuse it."""
    return seeds.workload(f"{folder}/work")


@item(kind="att")
def sound_att(folder):
    """A thread trace; commands that need a timeline refuse it."""
    return seeds.att(f"{folder}/att")


@item(kind="source")
def sound_source(folder):
    """Three source files."""
    return seeds.source_tree(f"{folder}/src")


@item(kind="description")
def sound_description(folder):
    """A text for synth."""
    return seeds.description(f"{folder}/a.trace")


@item(kind="baseline")
def sound_profile(folder):
    """A saved profile."""
    return seeds.profile(f"{folder}/profile.json")
