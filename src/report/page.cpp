#include "report/page.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "base/number_text.hpp"
#include "base/version.hpp"
#include "report/page_assets.hpp"
#include "report/page_comparison.hpp"
#include "report/page_curves.hpp"
#include "report/page_dots.hpp"
#include "report/page_experiments.hpp"
#include "report/page_metrics.hpp"
#include "report/page_text.hpp"
#include "report/page_variants.hpp"

namespace qkvlab {

namespace {

constexpr size_t kMostCurves = 12, kMostEntropies = 16;
constexpr int64_t kMapBytes = int64_t{24} << 20;

std::string section(const std::string& id, const std::string& title, const std::string& body) {
  if (body.empty()) return "";
  return "<section id=\"" + id + "\" aria-labelledby=\"" + id + "-title\"><h2 id=\"" + id +
         "-title\">" + title + "</h2>\n" + body + "</section>\n";
}

/// What browsers may do with the page: run these two scripts, use this style sheet, nothing else.
std::string policy() {
  const auto hash = [](const PageAsset& asset) {
    return "'sha256-" + base64(bytes_of_hex(asset.sha256)) + "'";
  };
  return "default-src 'none'; script-src " + hash(kDygraphs) + " " + hash(kPageScript) +
         "; style-src " + hash(kPageStyle) + "; base-uri 'none'; form-action 'none'";
}

std::string data_element(const std::string& id, const std::string& json) {
  return "<script type=\"application/json\" id=\"" + id + "\">" + script_json(json) + "</script>\n";
}

/// Puts a page together.
class PageWriter {
 public:
  PageWriter(const PageContent& content, const PageSink& sink)
      : content_(content),
        sink_(sink),
        variants_(content.recording, content.comparisons),
        choice_(choose_maps(content.maps.places(), kMapBytes)) {
    curves_ = figures_of(drawn_metrics(content.recording.metrics, content.metric), kMostCurves);
    first_entropy_ = curves_.size();
    for (CurveFigure& figure : figures_of(entropy_metrics(content.recording), kMostEntropies)) {
      curves_.push_back(std::move(figure));
    }
  }

  /// What stands in a place of the frame.
  void write_part(std::string_view name) {
    const std::map<std::string_view, std::function<void()>> parts = {
        {"policy", [&] { sink_(policy()); }},
        {"generator", [&] { sink_("qkvlab " + std::string(kVersion)); }},
        {"date", [&] { sink_(html_text(content_.date)); }},
        {"title", [&] { sink_(html_text(title()) + " – qkvlab"); }},
        {"style", [&] { sink_(kPageStyle.text); }},
        {"script", [&] { sink_(kPageScript.text); }},
        {"dygraphs", [&] { sink_(kDygraphs.text); }},
        {"licence", [&] { sink_(html_lines(kDygraphsLicence.text)); }},
        {"header", [&] { sink_(header()); }},
        {"sections", [&] { write_sections(); }},
        {"data", [&] { write_data(); }},
    };
    const auto part = parts.find(name);
    require(part != parts.end(), "page.html has a place for what no page has");
    part->second();
  }

 private:
  std::vector<CurveFigure> figures_of(std::vector<std::string> metrics, size_t most) {
    // One value is no curve; it stands in the tables.
    metrics.erase(std::remove_if(metrics.begin(), metrics.end(),
                                 [this](const auto& metric) { return !has_course(metric); }),
                  metrics.end());
    for (size_t i = most; i < metrics.size(); ++i) not_drawn_.push_back(metrics[i]);
    if (metrics.size() > most) metrics.resize(most);
    return curve_figures(content_.recording, variants_, metrics);
  }

  bool has_course(const std::string& metric) const {
    const auto& runs = content_.recording.runs;
    return std::any_of(runs.begin(), runs.end(), [&](const RecordedRun& run) {
      const auto series = run.series.find(metric);
      return series != run.series.end() && series->second.steps.size() > 1;
    });
  }

  std::string title() const {
    std::vector<std::string> names;
    for (const RecordedRun& run : content_.recording.runs) {
      const std::string& name = run.begin.experiment;
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
    return list_of_some(names);
  }

  std::string header() const {
    std::set<int64_t> seeds;
    for (const RecordedRun& run : content_.recording.runs) seeds.insert(run.begin.seed);
    std::string links;
    for (const auto& [id, words] :
         std::vector<std::pair<std::string, std::string>>{{"compared", "Compared"},
                                                          {"seeds", "Every seed"},
                                                          {"curves", "Over steps"},
                                                          {"attention", "Attention"},
                                                          {"repeat", "Repeat it"},
                                                          {"left-out", "Left out"}}) {
      if (has(id)) links += "<li><a href=\"#" + id + "\">" + words + "</a></li>";
    }
    return "<header><h1>" + html_name(title()) + "</h1>\n<p class=\"lead\">" +
           counted(static_cast<int64_t>(content_.recording.runs.size()), "run") + " of " +
           counted(static_cast<int64_t>(variants_.names().size()), "variant") + " with " +
           counted(static_cast<int64_t>(seeds.size()), "seed") + ", compared by <b>" +
           html_text(content_.comparisons.front().metric) + "</b> with " +
           html_name(content_.comparisons.front().baseline) +
           ".</p>\n<nav aria-label=\"Sections\"><ul>" + links + "</ul></nav></header>";
  }

  bool has(const std::string& section) const {
    if (section == "attention") return !content_.maps.places().empty();
    if (section == "left-out") return !content_.recording.left_out.empty();
    return true;
  }

  void write_sections() {
    std::string tables, dots;
    for (const Comparison& comparison : content_.comparisons) {
      tables += comparison_html(comparison, variants_);
      dots += dots_html(comparison, variants_);
    }
    sink_(section("compared", "What was compared", tables));
    sink_(section("seeds", "Every seed", dots));
    sink_(section("curves", "Over steps", curves_html()));
    if (has("attention")) sink_(section("attention", "Attention", attention_html()));
    sink_(section("repeat", "To repeat it", experiments_html(content_.recording)));
    sink_(section("left-out", "Left out in reading", left_out_html()));
  }

  std::string curves_html() const {
    std::string html =
        "<p>The mean over seeds and, shaded, its 95 % interval (Student's t) at each step. Of more "
        "points than can be told apart the highest and lowest of each stretch are drawn.</p>\n"
        "<ul class=\"legend\">";
    for (size_t i = 0; i < variants_.names().size(); ++i) {
      html += "<li>" + variant_sample(i) + html_name(variants_.names()[i]) + "</li>";
    }
    html += "</ul>\n<div class=\"curves wide\">";
    for (size_t i = 0; i < first_entropy_; ++i) html += curve_html(curves_[i], i);
    html += "</div>\n";
    if (!not_drawn_.empty()) {
      html += "<p>Recorded too, but not drawn: " + html_text(list_of_some(not_drawn_)) + ".</p>\n";
    }
    return html;
  }

  std::string attention_html() const {
    std::string html = maps_html(content_.maps, variants_, choice_);
    if (first_entropy_ == curves_.size()) return html;
    html +=
        "<h3 class=\"over\">How many tokens a head looks at, over steps</h3><p>Entropy in nats, "
        "the "
        "mean over queries: 0 where all weight is on one token, log n where it is even over "
        "n.</p>\n<div class=\"curves wide\">";
    for (size_t i = first_entropy_; i < curves_.size(); ++i) html += curve_html(curves_[i], i);
    return html + "</div>\n";
  }

  std::string left_out_html() const {
    if (content_.recording.left_out.empty()) return "";
    std::string html = "<ul>";
    for (const std::string& sentence : content_.recording.left_out) {
      html += "<li>" + html_text(sentence) + "</li>";
    }
    return html + "</ul>\n";
  }

  void write_data() {
    sink_(data_element("comparison", content_.comparison_json));
    sink_(data_element("curves-data", curve_data(curves_)));
    write_map_data(content_.paths, variants_, choice_, sink_);
  }

  const PageContent& content_;
  const PageSink& sink_;
  PageVariants variants_;
  MapChoice choice_;
  std::vector<CurveFigure> curves_;  // those of entropy last
  size_t first_entropy_ = 0;
  std::vector<std::string> not_drawn_;
};

}  // namespace

bool wants_for_page(const std::string& metric) {
  return metric != "step.lr" && metric.rfind("gradients.", 0) != 0 &&
         metric.rfind("attention.diagonal", 0) != 0;
}

void write_page(const PageContent& content, const PageSink& sink) {
  PageWriter writer(content, sink);
  std::string_view rest = kPageFrame.text;
  for (size_t open = rest.find("{{"); open != std::string_view::npos; open = rest.find("{{")) {
    const size_t close = rest.find("}}", open);
    sink(rest.substr(0, open));
    writer.write_part(rest.substr(open + 2, close - open - 2));
    rest = rest.substr(close + 2);
  }
  sink(rest);
}

}  // namespace qkvlab
