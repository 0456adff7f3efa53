#pragma once

#include "experiment/trace_run.hpp"
#include "record/sink.hpp"

namespace qkvlab {

/// Sends a trace as records: `run`, whose config says under `trace` what the sample was; the
/// tensors of the phases initial (parameters), forward (intermediates and `loss`), gradient (of
/// parameters, then of intermediates) and step (parameters); `end`.
void emit_trace(const ExperimentConfig& config, const TraceRun& run, RecordSink& records);

}  // namespace qkvlab
