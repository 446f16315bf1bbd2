"""The untrusted side: runs in the sandbox, loads one artefact, obeys load, bind, run, stop.

Nothing in here decides anything. Code of a submission shares these processes and may change whatever it finds; all
that reaches the verdict is the content of the output buffers and the time that calls take.
"""
