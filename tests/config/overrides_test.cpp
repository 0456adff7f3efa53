#include "config/overrides.hpp"

#include <gtest/gtest.h>

#include "base/json_text.hpp"
#include "support/user_error.hpp"

namespace qkvlab {
namespace {

/// The document of a file after its overrides.
JsonValue overridden(const std::string& file, const std::vector<std::string>& overrides,
                     const std::string& defaults = "{}") {
  JsonValue document = parse_json(file, "x.json");
  apply_overrides(document, overrides, parse_json(defaults, "defaults"));
  return document;
}

std::vector<std::string> keys(const JsonValue& object) {
  std::vector<std::string> names;
  for (const auto& member : object.members()) names.push_back(member.first);
  return names;
}

using Keys = std::vector<std::string>;

TEST(Overrides, TheValueIsJsonOrElseAString) {
  const JsonValue json = overridden("{}", {"a=1", "b=0.5", "c=null", "d=true", "e=[1, 2]",
                                           "f=uniform", "g=\"1\"", "h=", "i=1 2", "j=x=y"});
  EXPECT_EQ(json.at("a").integer(), 1);
  EXPECT_EQ(json.at("b").number(), 0.5);
  EXPECT_TRUE(json.at("c").is_null());
  EXPECT_TRUE(json.at("d").boolean());
  EXPECT_EQ(json.at("e").array().at(1).integer(), 2);
  EXPECT_EQ(json.at("f").string(), "uniform");
  EXPECT_EQ(json.at("g").string(), "1");
  EXPECT_EQ(json.at("h").string(), "");
  EXPECT_EQ(json.at("i").string(), "1 2");
  EXPECT_EQ(json.at("j").string(), "x=y");
}

TEST(Overrides, ADottedPathReachesIntoObjectsAndMakesThoseThatAreMissing) {
  const JsonValue json = overridden(R"({"a": {"b": {"c": 1, "d": 2}}, "n": null})",
                                    {"a.b.c=3", "a.e.f=4", "n.m=5", "x.y=6", "x.z=7"});
  EXPECT_EQ(json.at("a").at("b").at("c").integer(), 3);
  EXPECT_EQ(json.at("a").at("b").at("d").integer(), 2);
  EXPECT_EQ(json.at("a").at("e").at("f").integer(), 4);
  EXPECT_EQ(json.at("n").at("m").integer(), 5);
  EXPECT_EQ(json.at("x").at("y").integer(), 6);
  EXPECT_EQ(json.at("x").at("z").integer(), 7);
}

TEST(Overrides, AnObjectAsAValueReplacesTheOldOneWhole) {
  const JsonValue json = overridden(R"({"a": {"b": 1}})", {R"(a={"c": 2})"});
  EXPECT_EQ(keys(json.at("a")), Keys{"c"});
}

TEST(Overrides, TheLastOfTwoCounts) {
  EXPECT_EQ(overridden("{}", {"a=1", "a=2"}).at("a").integer(), 2);
}

TEST(Overrides, AComplaintNamesTheOverrideAsItsPlace) {
  const JsonValue json = overridden(R"({"training": {}})", {"training.optimizer.lr=abc"});
  EXPECT_EQ(user_error([&] { json.at("training").at("optimizer").at("lr").number(); }),
            "training.optimizer.lr=abc: training.optimizer.lr: must be a number, got a string");
}

TEST(Overrides, AnUnknownKeyOfAnOverrideIsStillUnread) {
  const JsonValue json = overridden(R"({"model": {"n_heads": 2}})", {"model.n_head=3"});
  json.at("model").find("n_heads");
  EXPECT_EQ(user_error([&] { json.at("model").refuse_unread_keys(); }),
            "model.n_head=3: model.n_head: unknown key 'n_head'; allowed: n_heads; "
            "did you mean 'n_heads'?");
}

TEST(Overrides, WhatTheFileSaysIsStillUnread) {
  const JsonValue json = overridden(R"({"a": {"b": 1}, "c": 2})", {"a.b=3"});
  json.find("a");
  EXPECT_NE(user_error([&] { json.refuse_unread_keys(); }).find("unknown key 'c'"),
            std::string::npos);
}

TEST(Overrides, AnotherKindDropsWhatTheFileSaysOfTheOldOne) {
  const std::string file = R"({"o": {"kind": "sgd", "lr": 0.3, "momentum": 0.9}})";
  EXPECT_EQ(keys(overridden(file, {"o.kind=adam"}).at("o")), Keys{"kind"});
  EXPECT_EQ(keys(overridden(file, {"o.kind=adam", "o.lr=1"}).at("o")), (Keys{"kind", "lr"}));
  // Wherever it is written.
  EXPECT_EQ(keys(overridden(file, {"o.lr=1", "o.kind=adam"}).at("o")), (Keys{"lr", "kind"}));
  EXPECT_EQ(keys(overridden(file, {"o.kind=sgd"}).at("o")), (Keys{"kind", "lr", "momentum"}));
}

TEST(Overrides, AnObjectWithoutAKindIsOfTheDefaultKind) {
  const std::string file = R"({"t": {"o": {"lr": 0.3}}})";
  const std::string defaults = R"({"t": {"o": {"kind": "sgd", "lr": 0.1}}})";
  EXPECT_EQ(keys(overridden(file, {"t.o.kind=sgd"}, defaults).at("t").at("o")),
            (Keys{"lr", "kind"}));
  EXPECT_EQ(keys(overridden(file, {"t.o.kind=adam"}, defaults).at("t").at("o")), Keys{"kind"});
}

TEST(Overrides, OneOfTwoAlternativesDropsTheOtherThatTheFileGives) {
  EXPECT_EQ(keys(overridden(R"({"t": {"steps": 5}})", {"t.epochs=2"}).at("t")), Keys{"epochs"});
  EXPECT_EQ(keys(overridden(R"({"t": {"epochs": 5}})", {"t.steps=2"}).at("t")), Keys{"steps"});
  EXPECT_EQ(keys(overridden(R"({"a": {"plan": {}, "packed": true}})", {"a.mode=full"}).at("a")),
            (Keys{"packed", "mode"}));
  EXPECT_EQ(keys(overridden(R"({"t": {"steps": 5}})", {"t.epochs=null"}).at("t")),
            (Keys{"steps", "epochs"}));
}

TEST(Overrides, OfTwoAlternativesTheLastWordCounts) {
  EXPECT_EQ(keys(overridden("{}", {"t.steps=2", "t.epochs=2"}).at("t")), Keys{"epochs"});
  EXPECT_EQ(keys(overridden("{}", {"t.epochs=2", "t.steps=2"}).at("t")), Keys{"steps"});
}

TEST(Overrides, AnotherKindKeepsWhatOverridesGaveWithoutAKind) {
  const std::string file = R"({"o": {"kind": "rmsprop", "lr": 0.3, "momentum": 0.9}})";
  const std::string defaults = R"({"o": {"kind": "sgd", "lr": 0.1}})";
  const auto o = [&](const std::vector<std::string>& overrides) {
    const JsonValue document = overridden(file, overrides, defaults);
    return json_text(document.at("o"));
  };
  EXPECT_EQ(o({R"(o={"lr":0.5})", "o.kind=adam"}), R"({"lr":0.5,"kind":"adam"})");
  EXPECT_EQ(o({"o.lr=0.5", "o.kind=adam"}), R"({"lr":0.5,"kind":"adam"})");
  EXPECT_EQ(o({"o.kind=adam", "o.lr=0.5"}), R"({"kind":"adam","lr":0.5})");
  EXPECT_EQ(o({"o.kind=adam", R"(o={"lr":0.5})"}), R"({"lr":0.5})")
      << "an object replaces it whole";
  EXPECT_EQ(o({R"(o={"kind":"sgd","momentum":0.5})", "o.kind=adam"}), R"({"kind":"adam"})");
  EXPECT_EQ(o({"o.kind=sgd", "o.momentum=0.5", "o.kind=adam"}), R"({"kind":"adam"})");
  EXPECT_EQ(o({"o.momentum=0.5", "o.kind=adam"}), R"({"momentum":0.5,"kind":"adam"})")
      << "to be refused";
}

TEST(Overrides, AnotherKindKeepsWhatAnObjectAroundItGaveWithoutAKind) {
  const JsonValue json =
      overridden(R"({"t": {"o": {"kind": "sgd", "momentum": 0.9}}})",
                 {R"(t={"o":{"lr":0.5},"s":{"kind":"a","b":1}})", "t.o.kind=adam", "t.s.kind=c"});
  EXPECT_EQ(json_text(json), R"({"t":{"o":{"lr":0.5,"kind":"adam"},"s":{"kind":"c"}}})");
}

TEST(Overrides, BelowAVariantOrTheGridAllIsOneKey) {
  const auto path = [](const std::string& text, const std::vector<std::string>& variants = {}) {
    return parse_override(text, "", variants).path;
  };
  EXPECT_EQ(path("ablation.variants.wide.model.mlp.ratio=8"),
            (Keys{"ablation", "variants", "wide", "model.mlp.ratio"}));
  EXPECT_EQ(path("ablation.variants.v1.5.model.bias=false"),
            (Keys{"ablation", "variants", "v1.5", "model.bias"}));
  EXPECT_EQ(path("ablation.variants.v1.5={}"), (Keys{"ablation", "variants", "v1.5"}));
  EXPECT_EQ(path("ablation.variants.my.model.bias=false", {"my.model", "my"}),
            (Keys{"ablation", "variants", "my.model", "bias"}));
  EXPECT_EQ(path("ablation.variants.wide.modl.bias=false", {"wide"}),
            (Keys{"ablation", "variants", "wide", "modl.bias"}));
  EXPECT_EQ(path("ablation.grid.model.n_layers=[1]"), (Keys{"ablation", "grid", "model.n_layers"}));
  EXPECT_EQ(path("ablation.seeds=0..3"), (Keys{"ablation", "seeds"}));
}

TEST(Overrides, AScalarThatWasTypedKeepsItsText) {
  const JsonValue json =
      overridden(R"({"f": 2024})", {"a=2024", "b=1e3", "c=true", "d=x", "e=\"5\""});
  EXPECT_EQ(json.at("a").text(), "2024");
  EXPECT_EQ(json.at("b").text(), "1e3");
  EXPECT_EQ(json.at("c").text(), "true");
  EXPECT_EQ(json.at("d").text(), "x");
  EXPECT_EQ(json.at("e").text(), "5");
  EXPECT_EQ(user_error([&] { json.at("f").text(); }),
            "x.json:1: f: must be a string, got an integer");
}

TEST(Overrides, AWidthByItselfAndAsARatioAreAlternatives) {
  EXPECT_EQ(keys(overridden(R"({"m": {"ratio": 4, "hidden": 9}})", {"m.ratio=2"}).at("m")),
            Keys{"ratio"});
  EXPECT_EQ(keys(overridden(R"({"m": {"ratio": 4}})", {"m.hidden=2"}).at("m")), Keys{"hidden"});
}

TEST(Overrides, AValueOfAFileStandsWhereItWasRead) {
  const JsonValue file = parse_json("{\"v\": {\n\"t.o.lr\": \"abc\"}}", "y.json");
  JsonValue document = parse_json(R"({"u": 1})", "x.json");
  apply_overrides(document, {override_of("t.o.lr", file.at("v").at("t.o.lr"))}, document);
  EXPECT_EQ(user_error([&] { document.at("t").at("o").at("lr").number(); }),
            "y.json:2: v.t.o.lr: must be a number, got a string");
  EXPECT_EQ(user_error([&] { document.at("t").at("p"); }), "y.json:2: v.t: must have the key 'p'");
}

TEST(Overrides, LaterOnesDropTheAlternativesOfEarlierOnes) {
  JsonValue document = overridden("{}", {"t.steps=2"});
  apply_overrides(document, std::vector<std::string>{"t.epochs=2"}, parse_json("{}", "defaults"));
  EXPECT_EQ(keys(document.at("t")), Keys{"epochs"});
}

TEST(Overrides, WhoStandsBeforeAComplaint) {
  JsonValue document = parse_json("{}", "x.json");
  apply_overrides(document, {parse_override("a=1", "variant 'v': ")}, document);
  EXPECT_EQ(user_error([&] { document.at("a").string(); }),
            "variant 'v': a=1: a: must be a string, got an integer");
}

TEST(Overrides, WhatIsNoOverrideIsRefused) {
  for (const char* text : {"a", "=1", "a.=1", ".a=1", "a..b=1", "", "\xFF=1"}) {
    const std::string message = user_error([&] { overridden("{}", {text}); });
    EXPECT_NE(message.find("must be an override, such as"), std::string::npos) << message;
  }
  EXPECT_EQ(user_error([] { overridden("[]", {"a=1"}); }),
            "x.json:1: must be an object, got an array");
}

}  // namespace
}  // namespace qkvlab
