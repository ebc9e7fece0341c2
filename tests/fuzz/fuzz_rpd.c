/*
 * Fuzzing the reader of rocmProfileData: the bytes become values in the tables it reads, of any kind
 * and size, and the file is read both ways.
 */
#include "base/array.h"
#include "tables.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct made_table tables[] = {
    {"rocpd_string", "id INTEGER PRIMARY KEY,string", 2},
    {"rocpd_op", "id INTEGER PRIMARY KEY,gpuId,queueId,start,end,description_id,opType_id", 7},
    {"rocpd_api", "id INTEGER PRIMARY KEY,pid,tid,start,end,apiName_id,args_id", 7},
    {"rocpd_api_ops", "id INTEGER PRIMARY KEY,api_id,op_id", 3},
    {"rocpd_kernelapi",
     "api_ptr_id,stream,gridX,gridY,gridZ,workgroupX,workgroupY,workgroupZ,groupSegmentSize,"
     "privateSegmentSize,kernelName_id",
     11},
    {"rocpd_copyapi", "api_ptr_id INTEGER PRIMARY KEY,stream,size,kind,dstDevice,srcDevice,pinned",
     7},
    {"rocpd_metadata", "tag,value", 2},
    {"rocpd_monitor", "deviceType,deviceId,monitorType,start,value", 5},
};

static const struct table_words words = {
    {"gpu", "sclk", "0x7f00", "0", "schema_version", "17 W", "forward",
     "graphExec = 0x1234 | stream = 0x20"},
    "INSERT INTO rocpd_string VALUES (1,''),(2,'hipLaunchKernel'),(3,'KernelExecution'),"
    "(4,'hipMemcpyAsync'),(5,'hipGraphLaunch'),(6,'UserMarker'),(7,'CopyHostToDevice'),(8,'Task'),"
    "(9,'hipStreamSynchronize'),(10,'CopyDeviceToDevice'),(11,'FillBuffer'),(12,'_Z3addPfi.kd'),"
    "(13,'gemm'),(14,'graphExec = 0x1234 | stream = 0x20'),(15,'cudaLaunchKernel')"};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tables_read(tables, ARRAY_LEN(tables), &words, data, size);
    return 0;
}
