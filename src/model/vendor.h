/*
 * Who made a GPU.
 */
#ifndef GS_MODEL_VENDOR_H
#define GS_MODEL_VENDOR_H

enum vendor { VENDOR_UNKNOWN, VENDOR_AMD, VENDOR_NVIDIA };

#endif
