/*
 * Fuzzing the Nsight Systems reader: the bytes become values in the tables it reads, of any kind
 * and size, and the file is read both ways.
 */
#include "base/array.h"
#include "tables.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct made_table tables[] = {
    {"StringIds", "id INTEGER PRIMARY KEY, value", 2},
    {"CUPTI_ACTIVITY_KIND_KERNEL",
     "start,end,deviceId,streamId,correlationId,globalPid,demangledName,shortName,mangledName,"
     "registersPerThread,gridX,blockX,staticSharedMemory,dynamicSharedMemory,graphNodeId",
     15},
    {"CUPTI_ACTIVITY_KIND_RUNTIME", "start,end,eventClass,globalTid,correlationId,nameId", 6},
    {"CUPTI_ACTIVITY_KIND_MEMCPY",
     "start,end,deviceId,streamId,correlationId,globalPid,bytes,copyKind,srcKind,dstKind,"
     "srcDeviceId,dstDeviceId",
     12},
    {"CUPTI_ACTIVITY_KIND_MEMSET", "start,end,deviceId,streamId,correlationId,globalPid,bytes", 7},
    {"CUPTI_ACTIVITY_KIND_GRAPH_TRACE", "start,end,deviceId,streamId,correlationId,graphId", 6},
    {"NVTX_EVENTS", "start,end,eventType,text,globalTid,textId,domainId", 7},
    {"MPI_COLLECTIVES_EVENTS", "start,end,globalTid,textId", 4},
    {"MPI_RANKS", "globalTid,rank", 2},
    {"CUDA_GPU_MEMORY_USAGE_EVENTS",
     "start,globalPid,deviceId,address,bytes,memKind,memoryOperationType,correlationId", 8},
    {"GPU_METRICS", "timestamp,typeId,metricId,value", 4},
    {"TARGET_INFO_GPU_METRICS", "typeId,metricId,metricName", 3},
    {"COMPOSITE_EVENTS", "id INTEGER PRIMARY KEY,start,globalTid", 3},
    {"SAMPLING_CALLCHAINS", "id,symbol,stackDepth", 3},
    {"TARGET_INFO_GPU", "vmId,id,name,busLocation,totalMemory,clockRate,smCount,cuDevice", 8},
    {"TARGET_INFO_CUDA_DEVICE", "gpuId,cudaId,pid,numMultiprocessors", 4},
    {"TARGET_INFO_SYSTEM_ENV", "globalVid,name,value", 3},
    {"ENUM_CUDA_MEMCPY_OPER", "id,name", 2},
    {"META_DATA_CAPTURE", "name,value", 2},
};

static const struct table_words words = {{"Hostname", "PROCESS_0:COMMAND", "NCCL", "ncclReduce",
                                          "cudaLaunchKernel_v7000", "_Z3addIfEvPT_", "[x]",
                                          "0000:01:00.0"},
                                         NULL};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tables_read(tables, ARRAY_LEN(tables), &words, data, size);
    return 0;
}
