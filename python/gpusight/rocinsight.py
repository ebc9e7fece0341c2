"""rocinsight's Python interface on top of gpusight: the same functions, results and exceptions.

    from gpusight import rocinsight
    result = rocinsight.analyze_database("results.db")
    result.summary.primary_bottleneck
    rocinsight.get_recommendations("results.db", priority_filter="HIGH")

Any trace that gpusight reads will do, or a list of them. Nothing is sent anywhere unless enable_llm is
true; then the program `gpusight` asks (GPUSIGHT_PROGRAM names it where it is not on the PATH).
"""
import datetime
import enum
import json
import os
import shutil
import subprocess
import time
import warnings as _warnings
from types import SimpleNamespace

from . import _errors, _run

__all__ = ["AnalysisError", "AnalysisMetadata", "AnalysisResult", "AnalysisSummary",
           "AnalysisTimeoutError", "AnalysisWarning", "DatabaseCorruptedError",
           "DatabaseNotFoundError", "ExecutionBreakdown", "GPUInfo", "LLMAuthenticationError",
           "LLMRateLimitError", "MissingDataError", "OutputFormat", "ProfilingInfo",
           "Recommendation", "RecommendationSet", "ReferenceGuideNotFoundError",
           "SourceAnalysisError", "SourceAnalysisResult", "SourceDirectoryNotFoundError",
           "UnsupportedGPUError", "analyze_database", "analyze_database_to_json",
           "analyze_source", "get_recommendations", "validate_database"]

# ---- exceptions


class AnalysisError(Exception):
    """All others are one of these."""


class DatabaseNotFoundError(AnalysisError):
    """No such file."""


class DatabaseCorruptedError(AnalysisError):
    """The file is there and cannot be analyzed."""


class MissingDataError(AnalysisError):
    """The trace is fine and holds nothing to analyze."""

    def __init__(self, message, missing_tables=()):
        super().__init__(message)
        self.missing_tables = list(missing_tables)


class UnsupportedGPUError(AnalysisError):
    def __init__(self, message, gpu_arch=None):
        super().__init__(message)
        self.gpu_arch = gpu_arch


class LLMAuthenticationError(AnalysisError):
    """No key for the language model, or one that it refuses."""


class LLMRateLimitError(AnalysisError):
    """The language model takes no more questions now."""


class AnalysisTimeoutError(AnalysisError):
    pass


class ReferenceGuideNotFoundError(AnalysisError):
    def __init__(self, message, attempted_paths=()):
        super().__init__(message)
        self.attempted_paths = list(attempted_paths)


class SourceDirectoryNotFoundError(AnalysisError):
    pass


class SourceAnalysisError(AnalysisError):
    pass


# ---- results


class OutputFormat(enum.Enum):
    PYTHON_OBJECT = "python_object"
    JSON = "json"
    TEXT = "text"
    MARKDOWN = "markdown"
    WEBVIEW = "webview"


class _Record(SimpleNamespace):
    """Attributes by the names of the document; those that it lacks are None."""

    _names = ()

    def __init__(self, values=None, **more):
        super().__init__(**dict(dict.fromkeys(self._names), **dict(values or {}, **more)))

    def to_dict(self):
        return {k: _plain(v) for k, v in vars(self).items() if not k.startswith("_")}


def _plain(value):
    if isinstance(value, _Record):
        return value.to_dict()
    if isinstance(value, list):
        return [_plain(v) for v in value]
    return value


class GPUInfo(_Record):
    _names = ("name", "architecture", "agent_id")


class AnalysisMetadata(_Record):
    _names = ("rocpd_version", "analysis_version", "database_file", "analysis_timestamp",
              "analysis_duration_ms", "custom_prompt")


class ProfilingInfo(_Record):
    _names = ("total_duration_ns", "profiling_mode", "analysis_tier", "gpus")


class AnalysisSummary(_Record):
    _names = ("overall_assessment", "primary_bottleneck", "confidence", "key_findings")


class ExecutionBreakdown(_Record):
    _names = ("total_runtime_ns", "kernel_time_ns", "kernel_time_pct", "memcpy_time_ns",
              "memcpy_time_pct", "api_overhead_ns", "api_overhead_pct", "idle_time_ns",
              "idle_time_pct")


class AnalysisWarning(_Record):
    _names = ("severity", "message", "recommendation")


class Recommendation(_Record):
    _names = ("id", "priority", "category", "title", "description", "estimated_impact",
              "next_steps", "commands", "confidence")


class RecommendationSet(_Record):
    """By priority; medium holds notes (INFO), too."""

    _names = ("high_priority", "medium_priority", "low_priority")

    def all(self):
        return self.high_priority + self.medium_priority + self.low_priority


def _recommendation(r):
    return Recommendation(id=r["id"], priority=r["priority"], category=r["category"],
                          title=r["issue"], description=r["suggestion"],
                          estimated_impact=r["estimated_impact"], next_steps=list(r["actions"]),
                          commands=r.get("commands", []), confidence=r.get("confidence"))


def _by_priority(rows):
    made = [_recommendation(r) for r in rows]
    return RecommendationSet(high_priority=[r for r in made if r.priority == "HIGH"],
                             medium_priority=[r for r in made if r.priority in ("MEDIUM", "INFO")],
                             low_priority=[r for r in made if r.priority == "LOW"])


class AnalysisResult(_Record):
    """What analyze_database() returns. Fields are those of rocinsight's document."""

    def __init__(self, raw, run=None):
        super().__init__(
            metadata=AnalysisMetadata(raw["metadata"]),
            profiling_info=ProfilingInfo(raw["profiling_info"], gpus=[
                GPUInfo(g) for g in raw["profiling_info"]["gpus"]]),
            summary=AnalysisSummary(raw["summary"]),
            execution_breakdown=ExecutionBreakdown(raw["execution_breakdown"]),
            recommendations=_by_priority(raw["recommendations"]),
            warnings=[AnalysisWarning(w) for w in raw["warnings"]],
            errors=list(raw["errors"]),
            llm_enhanced_explanation=raw.get("llm_enhanced_explanation"))
        for name in ("tier0", "kernel_categories", "short_kernels", "interval_timeline",
                     "hotspots", "memory_analysis", "hardware_counters", "kernel_resources",
                     "api_overhead", "warmup_issues", "roctx_regions", "att_trace"):
            setattr(self, name, raw.get(name))
        self._raw = raw
        self._run = run

    def to_json(self, indent=2):
        """The document, as its schema (0.4.0) has it."""
        return json.dumps(self._raw, indent=indent, ensure_ascii=False)

    def to_text(self):
        return self._form("text")

    def to_markdown(self):
        return self._form("markdown")

    def to_webview(self):
        """One self-contained HTML page."""
        return self._form("html")

    def _form(self, form):
        text = self._run.render(form)
        if not self.llm_enhanced_explanation or form == "html":
            return text
        return f"{text}\n## Explanation of a language model\n\n{self.llm_enhanced_explanation}\n"

    def _repr_html_(self):
        return self._run._repr_html_()


class SourceAnalysisResult(_Record):
    """What analyze_source() returns: the fields of "tier0"."""

    def __init__(self, raw, folder):
        super().__init__(raw.get("tier0") or {})
        self.recommendations = [_recommendation(r) for r in raw["recommendations"]]
        self.summary = AnalysisSummary(raw["summary"])
        self._raw = raw
        self._folder = folder

    def to_json(self, indent=2):
        return json.dumps(self._raw, indent=indent, ensure_ascii=False)

    def to_text(self):
        return _run.scan_source(self._folder, "text")

    def to_markdown(self):
        return _run.scan_source(self._folder, "markdown")

    def to_webview(self):
        return _run.scan_source(self._folder, "html")


# ---- functions


def _paths(path):
    paths = list(path) if isinstance(path, (list, tuple)) else [path]
    for p in paths:
        if not os.path.exists(p):
            raise DatabaseNotFoundError(f"Database not found: {os.fspath(p)}")
    return paths


def _opened(paths, **keywords):
    try:
        return _run.open(*paths, progress=False, **keywords)
    except _errors.NothingToAnalyzeError as e:
        raise MissingDataError(str(e), ["kernels", "memory_copies"]) from e
    except _errors.UsageError as e:
        raise AnalysisError(str(e)) from e
    except _errors.Error as e:
        if isinstance(e, _errors.CancelledError):
            raise
        raise DatabaseCorruptedError(str(e)) from e


def _stamped(raw, began, prompt):
    raw["metadata"].update(
        analysis_timestamp=datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        analysis_duration_ms=max(1, int((time.monotonic() - began) * 1000)), custom_prompt=prompt)
    return raw


_KEYS = {"anthropic": "ANTHROPIC_API_KEY", "openai": "OPENAI_API_KEY", "gemini": "GOOGLE_API_KEY",
         "private": "ROCINSIGHT_LLM_PRIVATE_API_KEY"}


def _explained(operands, provider, key, prompt, thinking, field):
    """What a language model says, asked by the program; the key goes through its environment."""
    program = os.environ.get("GPUSIGHT_PROGRAM") or shutil.which("gpusight")
    if not program:
        raise AnalysisError("cannot find the program 'gpusight', which asks language models; "
                            "install it, or name it in GPUSIGHT_PROGRAM")
    provider = provider or "anthropic"
    command = [program, "analyze", *operands, "--format", "json", "--llm", provider, "--yes"]
    command += ["--prompt", prompt] if prompt else []
    command += [f"--llm-thinking={thinking}"] if thinking else []
    env = dict(os.environ)
    if key:
        env[_KEYS.get(provider.split(":")[0], "ANTHROPIC_API_KEY")] = key
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False,
                          stdin=subprocess.DEVNULL)
    said = done.stderr.strip().splitlines()
    found = json.loads(done.stdout) if done.returncode == 0 else {}
    found = found.get("tier0", {}) if field == "llm_explanation" else found
    if found and found.get(field):
        return found[field]
    why = next((line for line in said if "explanation" in line), said[-1] if said else "no answer")
    lower = why.lower()
    if " key" in lower or "401" in lower or "403" in lower:
        raise LLMAuthenticationError(why)
    if "429" in lower or "no more requests" in lower:
        raise LLMRateLimitError(why)
    raise AnalysisError(why)


def analyze_database(database_path, *, custom_prompt=None, enable_llm=False, llm_provider=None,
                     llm_api_key=None, llm_thinking_tokens=None, output_format=None, verbose=False,
                     top_kernels=10, att_dir=None):
    """Reads and analyzes a trace, or several that belong together."""
    if output_format is not None:
        _warnings.warn("output_format does nothing; use the methods of the result",
                       DeprecationWarning, stacklevel=2)
    paths = _paths(database_path)
    began = time.monotonic()
    run = _opened(paths, att_dir=att_dir)
    raw = json.loads(run.render("json", json_profile="rocinsight", top_kernels=top_kernels))
    if verbose:
        for text in run.warnings:
            _warnings.warn(text, stacklevel=2)
    if enable_llm:
        raw["llm_enhanced_explanation"] = _explained(
            [os.fspath(p) for p in paths], llm_provider, llm_api_key, custom_prompt,
            llm_thinking_tokens, "llm_enhanced_explanation")
    return AnalysisResult(_stamped(raw, began, custom_prompt), run)


def analyze_database_to_json(database_path, output_json_path=None, **keywords):
    """The document as text; written to a file as well where one is named."""
    text = analyze_database(database_path, **keywords).to_json()
    if output_json_path is not None:
        for p in _paths(database_path):
            if os.path.exists(output_json_path) and os.path.samefile(p, output_json_path):
                raise AnalysisError(f"cannot write over the trace '{os.fspath(p)}'")
        with open(output_json_path, "w", encoding="utf-8") as f:
            f.write(text + "\n")
    return text


def analyze_source(source_dir, *, custom_prompt=None, enable_llm=False, llm_provider=None,
                   llm_api_key=None, verbose=False):
    """What source code says before anything was measured."""
    if not os.path.isdir(source_dir):
        raise SourceDirectoryNotFoundError(f"Source directory not found: {os.fspath(source_dir)}")
    began = time.monotonic()
    try:
        raw = _run.scan_source(source_dir, json_profile="rocinsight")
    except _errors.Error as e:
        raise SourceAnalysisError(str(e)) from e
    if enable_llm:
        raw["tier0"]["llm_explanation"] = _explained(
            ["--source-dir", os.fspath(source_dir)], llm_provider, llm_api_key, custom_prompt, None,
            "llm_explanation")
    return SourceAnalysisResult(_stamped(raw, began, custom_prompt), os.fspath(source_dir))


def get_recommendations(database_path, priority_filter=None, category_filter=None, **keywords):
    """Those of this priority, and whose category has these words in it (small or large)."""
    found = analyze_database(database_path, **keywords).recommendations.all()
    return [r for r in found
            if (not priority_filter or r.priority == priority_filter.upper())
            and (not category_filter or category_filter.lower() in r.category.lower())]


def validate_database(database_path):
    """Whether it can be analyzed, and what it holds; a file that cannot be read has an "error"."""
    paths = _paths(database_path)
    out = {"is_valid": False, "tier": 0, "has_kernels": False, "has_memory_copies": False,
           "has_pmc_counters": False, "has_counters": False, "has_pc_sampling": False,
           "tables": [], "error": None}
    try:
        run = _run.open(*paths, progress=False, analyze=False)
    except _errors.CancelledError:
        raise
    except _errors.Error as e:
        out["error"] = str(e)
        return out
    filled = [name for name in run.tables if len(run[name])]
    samples = run.query("select count(*) as n from pc_samples")[0]["n"] > 0
    out.update(is_valid="kernels" in filled, has_kernels="kernels" in filled,
               has_memory_copies="copies" in filled, has_pmc_counters="counters" in filled,
               has_counters="counters" in filled, has_pc_sampling=samples, tables=filled,
               tier=3 if samples else 2 if "counters" in filled else 1)
    return out
