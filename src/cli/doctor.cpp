#include <thread>

#include "attention/mask_convention.hpp"
#include "base/number_text.hpp"
#include "cli/commands.hpp"
#include "cli/json_object.hpp"
#include "cli/output.hpp"
#include "cli/terminal_style.hpp"
#include "experiment/machine.hpp"
#include "report/table.hpp"
#include "report/text_block.hpp"

namespace qkvlab {

namespace {

std::string meaning_text(MaskMeaning meaning) {
  switch (meaning) {
    case MaskMeaning::kMayAttend:
      return "may attend";
    case MaskMeaning::kBlocked:
      return "blocked";
    case MaskMeaning::kAdded:
      return "nothing: it adds 1 to the score";
    case MaskMeaning::kNothing:
      break;
  }
  return "unclear";
}

std::string threads_text(const Threads& threads) {
  return std::to_string(threads.intra_op) + " in LibTorch, " +
         (threads.blas > 0 ? std::to_string(threads.blas) : "unknown") + " in BLAS, " +
         std::to_string(std::thread::hardware_concurrency()) + " cores";
}

std::string speed_text(const SgemmSpeed& speed) {
  return fixed(speed.blas_gflops, 1) + " GFLOP/s on one thread, " +
         fixed(speed.blas_gflops / speed.loop_gflops, 1) + " × a plain loop (" +
         fixed(speed.loop_gflops, 1) + ")";
}

std::string doctor_json(const Blas& blas, const SgemmSpeed& speed) {
  const Threads threads = threads_in_use();
  std::vector<std::string> masks;
  for (const MaskConvention& convention : mask_conventions()) {
    masks.push_back(JsonObject()
                        .text("function", convention.function)
                        .text("true_means", meaning_text(convention.meaning))
                        .str());
  }
  return JsonObject()
             .text("libtorch", libtorch_version())
             .json("blas", JsonObject().text("name", blas.name).text("library", blas.library).str())
             .json("sgemm", JsonObject()
                                .number("gflops", speed.blas_gflops)
                                .number("loop_gflops", speed.loop_gflops)
                                .flag("slow", speed.slow())
                                .str())
             .json("threads", JsonObject()
                                  .integer("libtorch", threads.intra_op)
                                  .integer("blas", threads.blas)
                                  .integer("cores", std::thread::hardware_concurrency())
                                  .str())
             .json("masks", json_array(masks))
             .str() +
         "\n";
}

std::string doctor_text(const Blas& blas, const SgemmSpeed& speed, const TextStyle& style) {
  Table machine({{"", Align::kLeft}, {"", Align::kLeft}});
  machine.add_row({"LibTorch", libtorch_version()});
  machine.add_row({"BLAS", blas.name});
  machine.add_row({"", blas.library});
  machine.add_row({"sgemm", speed_text(speed)});
  machine.add_row({"", speed.slow() ? "SLOW: install an optimised BLAS (on Debian: apt-get install "
                                      "libopenblas0-pthread)"
                                    : "fast"});
  machine.add_row({"threads", threads_text(threads_in_use())});

  Table masks({{"attention function", Align::kLeft}, {"true in its mask means", Align::kLeft}});
  for (const MaskConvention& convention : mask_conventions()) {
    masks.add_row({convention.function, meaning_text(convention.meaning)});
  }

  return in_style(
      machine.text(0, style) + "\n" +
          fitted("Mask conventions, found by computing on two tokens:", 2, style.width) + "\n" +
          masks.text(2, style),
      style);
}

}  // namespace

void run_doctor(const DoctorCommand& command) {
  const Blas blas = blas_in_use();
  const SgemmSpeed speed = measure_sgemm();
  Output output(command.out);
  output.write(command.format == Format::kJson ? doctor_json(blas, speed)
                                               : doctor_text(blas, speed, text_style(command.out)));
  output.finish();
}

}  // namespace qkvlab
