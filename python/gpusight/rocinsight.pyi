import enum
from os import PathLike
from typing import Any, Dict, List, Optional, Sequence, Union

_Path = Union[str, "PathLike[Any]"]
_Paths = Union[_Path, Sequence[_Path]]

class AnalysisError(Exception): ...
class DatabaseNotFoundError(AnalysisError): ...
class DatabaseCorruptedError(AnalysisError): ...
class MissingDataError(AnalysisError):
    missing_tables: List[str]
    def __init__(self, message: str, missing_tables: Sequence[str] = ...) -> None: ...
class UnsupportedGPUError(AnalysisError):
    gpu_arch: Optional[str]
    def __init__(self, message: str, gpu_arch: Optional[str] = ...) -> None: ...
class LLMAuthenticationError(AnalysisError): ...
class LLMRateLimitError(AnalysisError): ...
class AnalysisTimeoutError(AnalysisError): ...
class ReferenceGuideNotFoundError(AnalysisError):
    attempted_paths: List[str]
    def __init__(self, message: str, attempted_paths: Sequence[str] = ...) -> None: ...
class SourceDirectoryNotFoundError(AnalysisError): ...
class SourceAnalysisError(AnalysisError): ...

class OutputFormat(enum.Enum):
    PYTHON_OBJECT = "python_object"
    JSON = "json"
    TEXT = "text"
    MARKDOWN = "markdown"
    WEBVIEW = "webview"

class _Record:
    def to_dict(self) -> Dict[str, Any]: ...

class GPUInfo(_Record):
    name: str
    architecture: str
    agent_id: int

class AnalysisMetadata(_Record):
    rocpd_version: str
    analysis_version: str
    database_file: Optional[str]
    analysis_timestamp: str
    analysis_duration_ms: int
    custom_prompt: Optional[str]

class ProfilingInfo(_Record):
    total_duration_ns: int
    profiling_mode: str
    analysis_tier: int
    gpus: List[GPUInfo]

class AnalysisSummary(_Record):
    overall_assessment: str
    primary_bottleneck: str
    confidence: float
    key_findings: List[str]

class ExecutionBreakdown(_Record):
    total_runtime_ns: int
    kernel_time_ns: int
    kernel_time_pct: float
    memcpy_time_ns: int
    memcpy_time_pct: float
    api_overhead_ns: int
    api_overhead_pct: float
    idle_time_ns: int
    idle_time_pct: float

class AnalysisWarning(_Record):
    severity: str
    message: str
    recommendation: Optional[str]

class Recommendation(_Record):
    id: str
    priority: str
    category: str
    title: str
    description: str
    estimated_impact: str
    next_steps: List[str]
    commands: List[Dict[str, Any]]
    confidence: Optional[float]

class RecommendationSet(_Record):
    high_priority: List[Recommendation]
    medium_priority: List[Recommendation]
    low_priority: List[Recommendation]
    def all(self) -> List[Recommendation]: ...

class _Forms(_Record):
    def to_json(self, indent: int = ...) -> str: ...
    def to_text(self) -> str: ...
    def to_markdown(self) -> str: ...
    def to_webview(self) -> str: ...

class AnalysisResult(_Forms):
    metadata: AnalysisMetadata
    profiling_info: ProfilingInfo
    summary: AnalysisSummary
    execution_breakdown: ExecutionBreakdown
    recommendations: RecommendationSet
    warnings: List[AnalysisWarning]
    errors: List[str]
    llm_enhanced_explanation: Optional[str]
    tier0: Optional[Dict[str, Any]]
    kernel_categories: Any
    short_kernels: Any
    interval_timeline: Any

class SourceAnalysisResult(_Forms):
    source_dir: str
    programming_model: str
    kernel_count: int
    summary: AnalysisSummary
    recommendations: List[Recommendation]
    llm_explanation: Optional[str]

def analyze_database(database_path: _Paths, *, custom_prompt: Optional[str] = ...,
                     enable_llm: bool = ..., llm_provider: Optional[str] = ...,
                     llm_api_key: Optional[str] = ..., llm_thinking_tokens: Optional[int] = ...,
                     output_format: Any = ..., verbose: bool = ..., top_kernels: int = ...,
                     att_dir: Optional[_Path] = ...) -> AnalysisResult: ...
def analyze_database_to_json(database_path: _Paths, output_json_path: Optional[_Path] = ...,
                             **keywords: Any) -> str: ...
def analyze_source(source_dir: _Path, *, custom_prompt: Optional[str] = ..., enable_llm: bool = ...,
                   llm_provider: Optional[str] = ..., llm_api_key: Optional[str] = ...,
                   verbose: bool = ...) -> SourceAnalysisResult: ...
def get_recommendations(database_path: _Paths, priority_filter: Optional[str] = ...,
                        category_filter: Optional[str] = ..., **keywords: Any) -> List[Recommendation]: ...
def validate_database(database_path: _Paths) -> Dict[str, Any]: ...
