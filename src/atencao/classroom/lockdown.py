"""As trancas que o processo do aluno fecha por dentro, antes de rodar o que o aluno escreveu.

Nenhuma se abre depois: limites do sistema, outro usuário, Landlock (que arquivos existem para o
processo) e seccomp (que pedidos o núcleo do Linux atende). Cada uma diz se fechou; quem corrige
conta ao professor as que este sistema não tem.
"""

import ctypes
import os
import platform
import signal
import struct
import sys
import sysconfig
from pathlib import Path

try:
    import resource
except ImportError:  # o Windows não tem
    resource = None

LINUX = sys.platform == "linux"
CPU, MEMORY, WRITING, USER, FILES, SYSCALLS = (
    "processador", "memória", "gravação", "usuário", "arquivos", "chamadas"
)
ALL = (CPU, MEMORY, WRITING, USER, FILES, SYSCALLS)

LIBRARIES = 2**32  # espaço de endereços das bibliotecas, além da memória do aluno
MOST_FILE = 2**24
MOST_OPEN = 64
MOST_THREADS = 32
FIRST_USER = 1_500_000_000  # um usuário que não existe, um por processo

PR_SET_PDEATHSIG, PR_SET_KEEPCAPS, PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS = 1, 8, 22, 38


def close_all(folder: str, *, seconds: int, memory: int, change_user: bool) -> list[str]:
    """Fecha o que der e devolve os nomes do que fechou. ``folder`` é a pasta descartável."""
    closed = _limits(seconds, memory)
    libc = ctypes.CDLL(None, use_errno=True) if LINUX else None
    if LINUX:
        libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        if _landlock(libc, folder):
            closed.append(FILES)
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        closed.append(USER)  # não há privilégio que perder
    elif change_user and _become_nobody(libc, folder, reads_anyway=FILES in closed):
        closed.append(USER)
    if LINUX:
        # Se quem corrige morrer, o aluno morre junto. A troca de usuário desfaria isto.
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if _seccomp(libc):
            closed.append(SYSCALLS)
    return closed


# ── Limites do sistema ──────────────────────────────────────────────────────────────────────────


def _limits(seconds: int, memory: int) -> list[str]:
    if resource is None:
        return []
    closed = []
    for name, wanted, limits in (
        (CPU, seconds, ("RLIMIT_CPU",)),
        (MEMORY, memory, ("RLIMIT_DATA",)),
        (None, memory + LIBRARIES, ("RLIMIT_AS",)),
        (WRITING, MOST_FILE, ("RLIMIT_FSIZE",)),
        (None, MOST_OPEN, ("RLIMIT_NOFILE",)),
        (None, 0, ("RLIMIT_CORE", "RLIMIT_MSGQUEUE")),
    ):
        done = [_limit(limit, wanted) for limit in limits]
        if name and all(done):
            closed.append(name)
    # O sinal de arquivo grande demais mataria o processo; sem ele, a escrita falha e se explica.
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    return closed


_IGNORED_BY_MACOS = ("RLIMIT_AS", "RLIMIT_DATA")  # aceita-os e não os cumpre


def _limit(name: str, wanted: int) -> bool:
    if not hasattr(resource, name) or (sys.platform == "darwin" and name in _IGNORED_BY_MACOS):
        return False
    try:
        hard = resource.getrlimit(getattr(resource, name))[1]
        top = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(getattr(resource, name), (top, top))
    except (OSError, ValueError):
        return False
    return True


def _become_nobody(libc: ctypes.CDLL | None, folder: str, *, reads_anyway: bool) -> bool:
    """Quem é root vira um usuário que não é dono de nada, um por processo.

    ``reads_anyway``: se o Landlock já diz o que se lê, guarda do root só o direito de ler pastas
    alheias; o Python de um root costuma morar numa pasta fechada aos outros.
    """
    if not hasattr(os, "setresuid"):  # no macOS
        return False
    user = FIRST_USER + os.getpid() % 2**22
    try:
        os.chown(folder, user, user)
        _limit("RLIMIT_NPROC", MOST_THREADS)
        os.setgroups([])
        os.setresgid(user, user, user)
        if reads_anyway:
            libc.prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0)
        os.setresuid(user, user, user)
        if reads_anyway:
            _keep_only_reading(libc)
    except OSError:
        return False
    return True


def _keep_only_reading(libc: ctypes.CDLL) -> None:
    version, reading = 0x20080522, 1 << 2  # CAP_DAC_READ_SEARCH
    kept = struct.pack("=6I", reading, reading, 0, 0, 0, 0)
    if libc.capset(struct.pack("=Ii", version, 0), kept):
        raise OSError(ctypes.get_errno(), "capset")


# ── Landlock: os arquivos que existem ───────────────────────────────────────────────────────────

_CREATE, _ADD, _RESTRICT = 444, 445, 446  # os mesmos números em toda arquitetura
_WRITE_FILE, _READ_FILE, _READ_DIR, _REMOVE_DIR, _REMOVE_FILE = (1 << bit for bit in range(1, 6))
_MAKE_DIR, _MAKE_FILE, _TRUNCATE = 1 << 7, 1 << 8, 1 << 14
_READ = _READ_FILE | _READ_DIR
_OWN = _READ | _WRITE_FILE | _REMOVE_DIR | _REMOVE_FILE | _MAKE_DIR | _MAKE_FILE | _TRUNCATE
_FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}  # quantos direitos cada versão conhece


def readable_places() -> list[str]:
    """O Python, os pacotes instalados, este pacote e as bibliotecas do sistema. E mais nada."""
    python = {path for key, path in sysconfig.get_paths().items() if "lib" in key}
    python |= {path for path in sys.path if Path(path).name in ("site-packages", "dist-packages")}
    base = Path(os.path.realpath(sysconfig.get_paths()["stdlib"]))
    package = Path(__file__).resolve().parent.parent
    return [
        *sorted(python), str(base), str(base.parent), str(package),
        "/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/etc/ld.so.cache",
        "/etc/localtime", "/usr/share/zoneinfo", "/usr/share/fonts", "/etc/fonts",
        "/dev/null", "/dev/zero", "/dev/urandom", "/dev/random",
        "/proc/self", "/proc/cpuinfo", "/proc/meminfo", "/sys/devices/system/cpu",
    ]


def _landlock(libc: ctypes.CDLL, folder: str) -> bool:
    version = libc.syscall(_CREATE, None, ctypes.c_size_t(0), 1)
    if version < 3:  # antes da 3, truncar um arquivo alheio escapava
        return False
    rights = (1 << _FILE_RIGHTS[min(version, 5)]) - 1
    network = 3 if version >= 4 else 0
    scope = 3 if version >= 6 else 0
    attributes = struct.pack("=QQQ", rights, network, scope)[: 8 if version < 4 else
                                                            16 if version < 6 else 24]
    rules = libc.syscall(_CREATE, attributes, ctypes.c_size_t(len(attributes)), 0)
    if rules < 0:
        return False
    try:
        for place in readable_places():
            _allow(libc, rules, place, _READ)
        _allow(libc, rules, "/dev/null", _READ_FILE | _WRITE_FILE)
        _allow(libc, rules, folder, _OWN)
        return libc.syscall(_RESTRICT, rules, 0) == 0
    finally:
        os.close(rules)


def _allow(libc: ctypes.CDLL, rules: int, place: str, rights: int) -> None:
    try:
        place_fd = os.open(place, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    if not os.path.isdir(place):
        rights &= _READ_FILE | _WRITE_FILE | _TRUNCATE
    libc.syscall(_ADD, rules, 1, struct.pack("=Qi", rights, place_fd), 0)
    os.close(place_fd)


# ── seccomp: os pedidos que o núcleo atende ─────────────────────────────────────────────────────

# nome: (x86_64, aarch64). Rede, processos filhos, sinais e limites de outros processos,
# permissões de arquivos (que o Landlock não vê), memória e filas que sobreviveriam ao processo,
# e a administração do sistema.
_DENIED = {
    "socket": (41, 198), "connect": (42, 203), "bind": (49, 200), "sendto": (44, 206),
    "fork": (57, None), "vfork": (58, None), "execve": (59, 221), "execveat": (322, 281),
    "kill": (62, 129), "tkill": (200, 130), "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240), "pidfd_open": (434, 434), "pidfd_send_signal": (424, 424),
    "pidfd_getfd": (438, 438), "ptrace": (101, 117), "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271), "process_madvise": (440, 440),
    "process_mrelease": (448, 448), "kcmp": (312, 272), "setrlimit": (160, 164),
    "setpriority": (141, 140), "ioprio_set": (251, 30), "sched_setscheduler": (144, 119),
    "sched_setparam": (142, 118), "sched_setattr": (314, 274), "sched_setaffinity": (203, 122),
    "migrate_pages": (256, 238), "move_pages": (279, 239),
    "chmod": (90, None), "fchmod": (91, 52), "fchmodat": (268, 53), "fchmodat2": (452, 452),
    "chown": (92, None), "lchown": (94, None), "fchown": (93, 55), "fchownat": (260, 54),
    "utime": (132, None), "utimes": (235, None), "futimesat": (261, None), "utimensat": (280, 88),
    "setxattr": (188, 5), "lsetxattr": (189, 6), "fsetxattr": (190, 7), "setxattrat": (463, 463),
    "removexattr": (197, 14), "lremovexattr": (198, 15), "fremovexattr": (199, 16),
    "shmget": (29, 194), "semget": (64, 190), "msgget": (68, 186), "mq_open": (240, 180),
    "memfd_create": (319, 279), "memfd_secret": (447, 447), "add_key": (248, 217),
    "request_key": (249, 218), "keyctl": (250, 219), "inotify_add_watch": (254, 27),
    "fanotify_init": (300, 262), "name_to_handle_at": (303, 264), "open_by_handle_at": (304, 265),
    "unshare": (272, 97), "setns": (308, 268), "mount": (165, 40), "umount2": (166, 39),
    "pivot_root": (155, 41), "chroot": (161, 51), "fsopen": (430, 430), "fsmount": (432, 432),
    "move_mount": (429, 429), "open_tree": (428, 428), "mount_setattr": (442, 442),
    "bpf": (321, 280), "perf_event_open": (298, 241), "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425), "init_module": (175, 105), "finit_module": (313, 273),
    "delete_module": (176, 106), "kexec_load": (246, 104), "kexec_file_load": (320, 294),
    "reboot": (169, 142), "swapon": (167, 224), "swapoff": (168, 225), "acct": (163, 89),
    "settimeofday": (164, 170), "clock_settime": (227, 112), "clock_adjtime": (305, 266),
    "adjtimex": (159, 171), "sethostname": (170, 161), "setdomainname": (171, 162),
    "syslog": (103, 116), "quotactl": (179, 60), "personality": (135, 92), "flock": (73, 32),
}
_ARCHITECTURES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
_CLONE, _CLONE3, _TGKILL, _PRLIMIT = (56, 220), (435, 435), (234, 131), (302, 261)
_CLONE_THREAD = 0x10000
_X32 = 0x40000000

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCH, _FIRST_ARGUMENT = 0, 4, 16
_OK, _KILL, _NOT_PERMITTED, _NO_SUCH_CALL = 0x7FFF0000, 0x80000000, 0x50001, 0x50026


class _Filter(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("program", ctypes.c_char_p)]


def _seccomp(libc: ctypes.CDLL) -> bool:
    if platform.machine() not in _ARCHITECTURES:
        return False
    column, architecture = _ARCHITECTURES[platform.machine()]
    program = b"".join(struct.pack("=HBBI", *line) for line in _program(column, architecture))
    wanted = _Filter(len(program) // 8, program)
    return libc.prctl(PR_SET_SECCOMP, 2, ctypes.byref(wanted), 0, 0) == 0


def _program(column: int, architecture: int) -> list[tuple[int, int, int, int]]:
    """O filtro, em instruções de BPF: (código, salto se sim, salto se não, constante)."""
    lines = [
        (_LOAD, 0, 0, _ARCH), (_EQUAL, 1, 0, architecture), (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER), (_AT_LEAST, 0, 1, _X32), (_RETURN, 0, 0, _NOT_PERMITTED),
        (_EQUAL, 0, 1, _CLONE3[column]), (_RETURN, 0, 0, _NO_SUCH_CALL),
    ]
    for numbers in _DENIED.values():
        if numbers[column] is not None:
            lines += [(_EQUAL, 0, 1, numbers[column]), (_RETURN, 0, 0, _NOT_PERMITTED)]
    lines += _only_if(_CLONE[column], (_ANY_BIT, 0, 1, _CLONE_THREAD))
    lines += _only_if(_TGKILL[column], (_EQUAL, 0, 1, os.getpid()))
    lines += _only_if(_PRLIMIT[column], (_EQUAL, 0, 1, 0))
    return [*lines, (_RETURN, 0, 0, _OK)]


def _only_if(number: int, test: tuple[int, int, int, int]) -> list[tuple[int, int, int, int]]:
    """Atende a chamada só se o primeiro argumento passar no teste."""
    return [
        (_EQUAL, 0, 4, number), (_LOAD, 0, 0, _FIRST_ARGUMENT), test,
        (_RETURN, 0, 0, _OK), (_RETURN, 0, 0, _NOT_PERMITTED),
    ]
