#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "statistics/observations.hpp"
#include "support/temporary_folder.hpp"
#include "support/user_error.hpp"

namespace qkvlab {
namespace {

class CsvObservations : public testing::Test {
 protected:
  Observations observe(const std::string& content, const ObservationChoice& choice = {}) {
    return observe_csv(folder_.write("a.csv", content), choice);
  }
  std::string complaint(const std::string& content, const ObservationChoice& choice = {}) {
    return user_error([&] { observe(content, choice); });
  }

  const TemporaryFolder folder_;
  const std::string path_ = folder_.file("a.csv");
};

TEST_F(CsvObservations, EveryLineIsOne) {
  const Observations observed = observe("variant,seed,accuracy\nfull,0,0.5\nnone,-7,1e-3\n");
  EXPECT_EQ(observed.metric.name, "accuracy");
  ASSERT_EQ(observed.all.size(), 2u);
  EXPECT_EQ(observed.all[0].variant, "full");
  EXPECT_EQ(observed.all[0].value, 0.5);
  EXPECT_EQ(observed.all[1].seed, -7);
  EXPECT_EQ(observed.all[1].value, 1e-3);
  EXPECT_EQ(observed.all[1].place, path_ + ":3");
}

TEST_F(CsvObservations, WhatASeedHasSeveralOfIsToldApartByItsColumns) {
  const std::string content =
      "variant,task,width,parameters,seconds,seed,accuracy\n"
      "full,sort,64,370,1.5,0,0.5\n"
      "full,copy,64,370,1.25,0,0.6\n"
      "none,sort,64,178,1.75,0,0.7\n"
      "none,copy,64,178,1.125,0,0.8\n";
  const Observations observed = observe(content);
  EXPECT_EQ(observed.all[0].cell, "task=sort") << "width and parameters are the same in a seed";
  EXPECT_EQ(observed.all[3].cell, "task=copy");
  EXPECT_EQ(observed.warnings,
            std::vector<std::string>{"taken for measurements, not for cells of a seed: seconds"});
  ObservationChoice choice;
  choice.by = "task";
  EXPECT_EQ(observe(content, choice).all[1].group, "copy");
  EXPECT_EQ(observe(content, choice).all[1].cell, "");
}

TEST_F(CsvObservations, WhereASeedHasOneLineThereAreNoCells) {
  const Observations observed =
      observe("variant,seed,converged,loss\nfull,0,yes,1\nnone,0,no,2\nfull,1,no,1\n");
  for (const Observation& one : observed.all) EXPECT_EQ(one.cell, "");
}

TEST_F(CsvObservations, CellsMayBeNamed) {
  ObservationChoice choice;
  choice.cell_columns = {"fold"};
  const Observations observed =
      observe("variant,seed,fold,note,loss\na,0,1,x,1\na,0,2,x,2\n", choice);
  EXPECT_EQ(observed.all[1].cell, "fold=2");
}

TEST_F(CsvObservations, ColumnsMayHaveOtherNames) {
  ObservationChoice choice;
  choice.variant_column = "model";
  choice.seed_column = "run";
  choice.metric.name = "f1";
  const Observations observed = observe("f1,run,model,note\n0.5,3,a,x\n0.75,3,b,x\n", choice);
  EXPECT_EQ(observed.all[1].variant, "b");
  EXPECT_EQ(observed.all[1].seed, 3);
  EXPECT_EQ(observed.all[1].value, 0.75);
}

TEST_F(CsvObservations, WhatIsNoFiniteNumberHasDiverged) {
  const Observations observed =
      observe("variant,seed,loss\na,0,nan\na,1,inf\na,2,-inf\na,3,Infinity\na,4,1\na,5,\na,6,NA\n");
  for (int seed = 0; seed < 4; ++seed) {
    EXPECT_EQ(observed.all[static_cast<size_t>(seed)].outcome, Outcome::kDiverged) << seed;
  }
  EXPECT_EQ(observed.all[4].outcome, Outcome::kFinished);
  EXPECT_EQ(observed.all[5].outcome, Outcome::kUnfinished) << "there is no value yet";
  EXPECT_EQ(observed.all[6].outcome, Outcome::kUnfinished);
}

TEST_F(CsvObservations, MistakesNameFileAndLine) {
  EXPECT_EQ(complaint("variant,sed,loss\n"),
            path_ +
                ":1: unknown column 'seed'; allowed: variant, sed or loss; did "
                "you mean 'sed'?");
  EXPECT_EQ(complaint("variant,loss,seed\na,1,0\n"),
            path_ +
                ":1: the column 'seed' identifies the run, so it cannot be the metric; allowed: "
                "variant, loss or seed");
  EXPECT_EQ(complaint("variant,seed,loss,loss\n"), path_ + ":1: two columns are named 'loss'");
  EXPECT_EQ(complaint("variant,seed,loss\na,one,1\n"),
            path_ + ":2: seed: must be an integer, got 'one'");
  EXPECT_EQ(
      complaint("variant,seed,loss\na,1,1.5x\n"),
      path_ +
          ":2: loss: must be a number of at most 1e100 in size, or empty, got '1.5x'; --metric "
          "names another column than the last");
  EXPECT_EQ(complaint(""), path_ + ": is empty; its first line must name columns");
  ObservationChoice choice;
  choice.metric.taken = Taken::kBest;
  EXPECT_EQ(complaint("variant,seed,loss\n", choice),
            path_ + ": a table has one value per run, so --take has nothing to choose from");
}

}  // namespace
}  // namespace qkvlab
