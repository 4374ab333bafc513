"""What processes cost: CPU and memory from /proc."""

import os

TICK = 1_000_000 // os.sysconf("SC_CLK_TCK")  # microseconds


def _stat(pid):
    """The fields of /proc/PID/stat after the name, or None if the process is gone."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None


def cpu(pid):
    """CPU microseconds of one process so far."""
    fields = _stat(pid)
    return (int(fields[11]) + int(fields[12])) * TICK if fields else 0


def cpu_of_family(pid):
    """CPU microseconds of a process and its children, also of those that have ended."""
    while True:
        before = _stat(pid)[11:15]
        living = [fields for name in os.listdir("/proc") if name.isdigit() and (fields := _stat(name))]
        if _stat(pid)[13:15] == before[2:]:
            break  # else a child ended meanwhile: neither among the living nor yet in what ended children took
    children = sum(int(fields[11]) + int(fields[12]) for fields in living if int(fields[1]) == pid)
    return (sum(map(int, before)) + children) * TICK


def anonymous_bytes(pid):
    """Memory of a process that no file backs."""
    with open(f"/proc/{pid}/smaps_rollup") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith("Anonymous:"))
