import torch as t
from torch.cuda import synchronize as s
import triton
@triton.jit
def k(x):
    """doc s()"""
for i in range(3): s()
a = [x.item() for x in y]; k[(n // 2,)](f"{a['b']:>{w}}")
