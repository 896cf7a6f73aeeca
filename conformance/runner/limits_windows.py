# SPDX-License-Identifier: Apache-2.0
"""The Windows part of limits.py: a job object, with which a child is killed together with all it started, and its usage."""
import ctypes
from ctypes import wintypes

_kernel32 = ctypes.WinDLL("kernel32", use_last_error=True)
_JOB_OBJECT_BASIC_PROCESS_ID_LIST = 3
_JOB_OBJECT_EXTENDED_LIMIT_INFORMATION = 9
_JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION = 0x400  # no dialog that waits for a click
_JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE = 0x2000


class _BasicLimits(ctypes.Structure):
    _fields_ = [("PerProcessUserTimeLimit", ctypes.c_int64), ("PerJobUserTimeLimit", ctypes.c_int64),
                ("LimitFlags", wintypes.DWORD), ("MinimumWorkingSetSize", ctypes.c_size_t),
                ("MaximumWorkingSetSize", ctypes.c_size_t), ("ActiveProcessLimit", wintypes.DWORD),
                ("Affinity", ctypes.c_size_t), ("PriorityClass", wintypes.DWORD), ("SchedulingClass", wintypes.DWORD)]


class _ExtendedLimits(ctypes.Structure):
    _fields_ = [("BasicLimitInformation", _BasicLimits), ("IoInfo", ctypes.c_uint64 * 6),
                ("ProcessMemoryLimit", ctypes.c_size_t), ("JobMemoryLimit", ctypes.c_size_t),
                ("PeakProcessMemoryUsed", ctypes.c_size_t), ("PeakJobMemoryUsed", ctypes.c_size_t)]


class _MemoryCounters(ctypes.Structure):
    _fields_ = [("cb", wintypes.DWORD), ("PageFaultCount", wintypes.DWORD), ("PeakWorkingSetSize", ctypes.c_size_t),
                ("WorkingSetSize", ctypes.c_size_t), ("QuotaPeakPagedPoolUsage", ctypes.c_size_t),
                ("QuotaPagedPoolUsage", ctypes.c_size_t), ("QuotaPeakNonPagedPoolUsage", ctypes.c_size_t),
                ("QuotaNonPagedPoolUsage", ctypes.c_size_t), ("PagefileUsage", ctypes.c_size_t),
                ("PeakPagefileUsage", ctypes.c_size_t)]


_PROCESSES_MOST = 1024  # processes of a job whose usage is read
_PROCESS_QUERY_LIMITED_INFORMATION = 0x1000


class _ProcessIds(ctypes.Structure):
    _fields_ = [("NumberOfAssignedProcesses", wintypes.DWORD), ("NumberOfProcessIdsInList", wintypes.DWORD),
                ("ProcessIdList", ctypes.c_size_t * _PROCESSES_MOST)]


def _function(name, result, *arguments):
    function = getattr(_kernel32, name)
    function.restype, function.argtypes = result, arguments
    return function


_create_job = _function("CreateJobObjectW", wintypes.HANDLE, ctypes.c_void_p, wintypes.LPCWSTR)
_set_job = _function("SetInformationJobObject", wintypes.BOOL, wintypes.HANDLE, ctypes.c_int, ctypes.c_void_p,
                     wintypes.DWORD)
_query_job = _function("QueryInformationJobObject", wintypes.BOOL, wintypes.HANDLE, ctypes.c_int, ctypes.c_void_p,
                       wintypes.DWORD, ctypes.c_void_p)
_open_process = _function("OpenProcess", wintypes.HANDLE, wintypes.DWORD, wintypes.BOOL, wintypes.DWORD)
_assign = _function("AssignProcessToJobObject", wintypes.BOOL, wintypes.HANDLE, wintypes.HANDLE)
_terminate = _function("TerminateJobObject", wintypes.BOOL, wintypes.HANDLE, wintypes.UINT)
_close = _function("CloseHandle", wintypes.BOOL, wintypes.HANDLE)
_times = _function("GetProcessTimes", wintypes.BOOL, wintypes.HANDLE, *[ctypes.POINTER(wintypes.FILETIME)] * 4)
_memory = _function("K32GetProcessMemoryInfo", wintypes.BOOL, wintypes.HANDLE, ctypes.POINTER(_MemoryCounters),
                    wintypes.DWORD)


class Job:
    """Holds a process that has just been started; it and its children die with the job."""

    def __init__(self, popen):
        self._popen = popen
        self._handle = _create_job(None, None)
        limits = _ExtendedLimits()
        limits.BasicLimitInformation.LimitFlags = (_JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
                                                   | _JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION)
        _set_job(self._handle, _JOB_OBJECT_EXTENDED_LIMIT_INFORMATION, ctypes.byref(limits), ctypes.sizeof(limits))
        _assign(self._handle, int(popen._handle))

    def kill(self):
        if self._handle:
            _terminate(self._handle, 1)
            _close(self._handle)
            self._handle = None
        if self._popen.poll() is None:  # it was not assigned to the job
            self._popen.kill()

    def usage(self):
        """Seconds of processor time and resident bytes, of the process and its descendants."""
        found = [_usage(int(self._popen._handle))]
        for pid in self._pids():
            handle = _open_process(_PROCESS_QUERY_LIMITED_INFORMATION, False, pid) if pid != self._popen.pid else None
            if handle:
                found.append(_usage(handle))
                _close(handle)
        return tuple(map(sum, zip(*found)))

    def _pids(self):
        ids = _ProcessIds()
        if not self._handle or not _query_job(self._handle, _JOB_OBJECT_BASIC_PROCESS_ID_LIST, ctypes.byref(ids),
                                              ctypes.sizeof(ids), None):
            return []
        return ids.ProcessIdList[:ids.NumberOfProcessIdsInList]


def _usage(handle):
    times = [wintypes.FILETIME() for _ in range(4)]
    cpu = 0
    if _times(handle, *[ctypes.byref(value) for value in times]):
        cpu = sum((value.dwHighDateTime << 32) + value.dwLowDateTime for value in times[2:])
    counters = _MemoryCounters(cb=ctypes.sizeof(_MemoryCounters))
    memory = counters.WorkingSetSize if _memory(handle, ctypes.byref(counters), counters.cb) else 0
    return cpu / 1e7, memory
