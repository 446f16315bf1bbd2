"""Access to a GPU without torch: the few runtime calls that judge and worker need, on CUDA and on ROCm alike."""
