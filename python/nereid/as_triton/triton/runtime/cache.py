# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The files of the cache"""

from nereid.filecache import (CacheManager, DumpCacheManager, FileCacheManager, OverrideCacheManager,
                              RedisRemoteCacheBackend, RemoteCacheBackend, RemoteCacheManager, get_cache_manager,
                              get_dump_manager, get_override_manager, triton_key)
