// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Of the fake driver: graphs. A stream that the driver itself captures takes everything, as in the
// mode "relaxed".
#include "State.h"

#include <utility>

using namespace nereid::fake_cuda;

namespace nereid::runtime::cuda {

struct CUgraph_st {
  std::vector<std::function<CUresult()>> pieces;
};
struct CUgraphExec_st : CUgraph_st {};

FAKE_CUDA_FUNCTION cuStreamBeginCapture_v2(CUstream handle, CUstreamCaptureMode) {
  ENTER(cuStreamBeginCapture_v2);
  std::shared_ptr<CUstream_st> stream = findStream(handle);
  if (!stream || stream->capture != CUstream_st::Capture::None)
    return CUDA_ERROR_INVALID_HANDLE;
  stream->capture = CUstream_st::Capture::Active;
  stream->isRelaxed = true;
  return 0;
}

FAKE_CUDA_FUNCTION cuStreamEndCapture(CUstream handle, CUgraph *graph) {
  ENTER(cuStreamEndCapture);
  std::shared_ptr<CUstream_st> stream = findStream(handle);
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  auto pieces = std::exchange(stream->captured, {});
  auto how = std::exchange(stream->capture, CUstream_st::Capture::None);
  stream->isRelaxed = false;
  *graph = nullptr;
  if (how == CUstream_st::Capture::Invalid)
    return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  *graph = new CUgraph_st{std::move(pieces)};
  ++state().graphs;
  return 0;
}

FAKE_CUDA_FUNCTION cuGraphInstantiateWithFlags(CUgraphExec *made, CUgraph graph,
                                               unsigned long long) {
  ENTER(cuGraphInstantiateWithFlags);
  *made = new CUgraphExec_st{*graph};
  ++state().graphs;
  return 0;
}

FAKE_CUDA_FUNCTION cuGraphLaunch(CUgraphExec graph, CUstream handle) {
  ENTER(cuGraphLaunch);
  std::shared_ptr<CUstream_st> stream = findStream(handle);
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  for (const auto &piece : graph->pieces)
    stream->add(piece);
  return 0;
}

FAKE_CUDA_FUNCTION cuGraphDestroy(CUgraph graph) {
  ENTER(cuGraphDestroy);
  delete graph;
  --state().graphs;
  return 0;
}

FAKE_CUDA_FUNCTION cuGraphExecDestroy(CUgraphExec graph) {
  ENTER(cuGraphExecDestroy);
  delete graph;
  --state().graphs;
  return 0;
}

} // namespace nereid::runtime::cuda
