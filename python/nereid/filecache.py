# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Upstream's interface to a directory of files by key, for programs that keep files of their own there. Nereid's
compiled kernels have another place (docs/cache.md)."""

import base64
import json
import os
import uuid

from . import _native, knobs


class CacheManager:
    """Files by name, for one key."""

    def __init__(self, key, override=False, dump=False):
        self.key = key

    def get_file(self, filename):
        raise NotImplementedError

    def put(self, data, filename, binary=True):
        raise NotImplementedError

    def get_group(self, filename):
        raise NotImplementedError

    def put_group(self, filename, group):
        raise NotImplementedError


class FileCacheManager(CacheManager):
    """In a directory, which appears with its first file. Files appear whole or not at all."""

    def __init__(self, key, override=False, dump=False):
        super().__init__(key)
        root = knobs.cache.dump_dir if dump else knobs.cache.override_dir if override else knobs.cache.dir
        if not root:
            raise RuntimeError("Could not create or locate cache dir")
        self.cache_dir = os.path.join(root, key)
        if not override:
            os.makedirs(self.cache_dir, exist_ok=True)
        self.lock_path = None if override or dump else os.path.join(self.cache_dir, "lock")

    def _make_path(self, filename):
        return os.path.join(self.cache_dir, filename)

    def has_file(self, filename):
        return os.path.exists(self._make_path(filename))

    def get_file(self, filename):
        return self._make_path(filename) if self.has_file(filename) else None

    def get_group(self, filename):
        path = self.get_file("__grp__" + filename)
        if path is None:
            return None
        with open(path) as file:
            children = json.load(file).get("child_paths") or {}
        return children if all(map(os.path.exists, children.values())) else None

    def put_group(self, filename, group):
        return self.put(json.dumps({"child_paths": group}), "__grp__" + filename, binary=False)

    def put(self, data, filename, binary=True):
        is_binary = isinstance(data, bytes)
        data = data if is_binary or isinstance(data, str) else str(data)
        path = self._make_path(filename)
        part = os.path.join(self.cache_dir, f"tmp.pid_{os.getpid()}_{uuid.uuid4()}")
        with open(part, "wb" if is_binary else "w") as file:
            file.write(data)
        os.replace(part, path)
        return path


class OverrideCacheManager(FileCacheManager):

    def __init__(self, key):
        super().__init__(key, override=True)


class DumpCacheManager(FileCacheManager):

    def __init__(self, key):
        super().__init__(key, dump=True)


class RemoteCacheBackend:
    """Where a RemoteCacheManager keeps files: bytes by name, for one key."""

    def __init__(self, key):
        self.key = key

    def get(self, filenames):
        raise NotImplementedError

    def put(self, filename, data):
        raise NotImplementedError


class RedisRemoteCacheBackend(RemoteCacheBackend):
    """On a Redis server."""

    def __init__(self, key):
        import redis

        super().__init__(key)
        self._redis = redis.Redis(host=knobs.redis.host, port=knobs.redis.port)
        self._key_format = knobs.redis.key_format

    def _get_key(self, filename):
        return self._key_format.format(key=self.key, filename=filename)

    def get(self, filenames):
        found = self._redis.mget([self._get_key(name) for name in filenames])
        return {name: data for name, data in zip(filenames, found) if data is not None}

    def put(self, filename, data):
        self._redis.set(self._get_key(filename), data)


class RemoteCacheManager(CacheManager):
    """Files of a remote backend, each with a copy in the directory."""

    def __init__(self, key, override=False, dump=False):
        super().__init__(key)
        self._backend = knobs.cache.remote_manager_class(key)
        self._override, self._dump = override, dump
        self._files = FileCacheManager(key, override=override, dump=dump)

    def get_file(self, filename):
        found = self._backend.get([filename])
        return self._files.put(found[filename], filename) if filename in found else None

    def put(self, data, filename, binary=True):
        self._backend.put(filename, data)
        return self._files.put(data, filename, binary)

    def get_group(self, filename):
        found = self._backend.get([filename])
        if filename not in found:
            return None
        names = json.loads(found[filename])
        files = self._backend.get(names)
        return {name: self._files.put(files[name], name) for name in names} if files.keys() >= set(names) else None

    def put_group(self, filename, group):
        names = sorted(group)
        self._backend.put(filename, json.dumps(names).encode())
        return self._files.put_group(filename, group)


def _base32(key):
    return base64.b32encode(bytes.fromhex(key)).decode().rstrip("=")


def get_cache_manager(key):
    return (knobs.cache.manager_class or FileCacheManager)(_base32(key))


def get_override_manager(key):
    return (knobs.cache.manager_class or FileCacheManager)(_base32(key), override=True)


def get_dump_manager(key):
    return (knobs.cache.manager_class or FileCacheManager)(_base32(key), dump=True)


def triton_key():
    """Which build of the compiler this is."""
    return f"nereid {_native.version()}"


def get_cache_key(src, backend, backend_options, env_vars):
    return f"{triton_key()}-{src.hash()}-{backend.hash()}-{backend_options}-{sorted(env_vars.items())}"
