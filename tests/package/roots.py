"""A new root, with Debian's packages of these names and nothing of ours: for tests that install."""
import os
import subprocess

PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def make(root, packages):
    """Needs root and Debian's archive; what was said where that fails, or None."""
    done = subprocess.run(["mmdebstrap", "--variant=minbase", "--include=" + ",".join(packages), "bookworm", root],
                          capture_output=True, text=True, check=False)
    return done.stderr[-500:] if done.returncode else None


def enter(root, *command, **more):
    """Runs a command there; variables of this place stay outside."""
    env = {"PATH": PATH, "LC_ALL": "C.UTF-8", "HOME": "/root", "DEBIAN_FRONTEND": "noninteractive", **more}
    return subprocess.run(["chroot", root, *command], env=env, capture_output=True, text=True, check=False)


def files(root, word):
    """Files there whose path holds a word; caches of Python and package managers do not count."""
    found = []
    for folder, _, names in os.walk(root):
        if "/proc" in folder or "__pycache__" in folder or folder.startswith(root + "/var"):
            continue
        found += [os.path.join(folder, n)[len(root):] for n in names if word in os.path.join(folder, n)[len(root):]]
    return found
