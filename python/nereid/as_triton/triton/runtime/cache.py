# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The files of the cache"""

from nereid.filecache import (CacheManager, DumpCacheManager, FileCacheManager, OverrideCacheManager,
                              RedisRemoteCacheBackend, RemoteCacheBackend, RemoteCacheManager, get_cache_manager,
                              get_cache_key, get_dump_manager, get_override_manager, triton_key)
from nereid import knobs


def _base32(key):
    """The name of a directory for a key of hexadecimal digits."""
    import base64

    return base64.b32encode(bytes.fromhex(key)).decode().rstrip("=")
