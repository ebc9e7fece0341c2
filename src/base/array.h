/* The number of elements of an array; of a pointer it is a mistake that compilers warn of. */
#ifndef GS_BASE_ARRAY_H
#define GS_BASE_ARRAY_H

#define ARRAY_LEN(array) (sizeof(array) / sizeof(*(array)))

#endif
