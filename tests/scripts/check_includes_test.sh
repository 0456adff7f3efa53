#!/usr/bin/env bash
# Tests that scripts/check-includes accepts what the layers may include and names each fault.
set -euo pipefail

check=$(dirname "$(readlink -f "$0")")/../../scripts/check-includes
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

# lay_out FILE LINE: a tree of one file with one line.
lay_out() {
  rm -rf "${tree:?}"/*
  mkdir -p "$(dirname "$tree/$1")"
  printf '#pragma once\n%s\n' "$2" >"$tree/$1"
}

accepts() {
  lay_out "$1" "$2"
  if ! output=$("$check" "$tree"); then
    echo "refused '$2' in $1: $output"
    exit 1
  fi
}

refuses() {
  lay_out "$1" "$2"
  if output=$("$check" "$tree"); then
    echo "accepted '$2' in $1"
    exit 1
  fi
  if [[ $output != "$1:2: "*"$3"* ]]; then
    echo "said '$output' of '$2' in $1, where '$3' was expected"
    exit 1
  fi
}

accepts base/text.hpp '#include <string>'
accepts base/text.hpp '#include <nlohmann/json.hpp>'
accepts base/text.hpp '// #include "config/fields.hpp"'
accepts report/table.cpp '#include "report/table.hpp"'
accepts report/table.cpp '#include "base/text.hpp"'
accepts random/keyed.hpp '#include <ATen/core/Tensor.h>'
accepts cli/train.cpp '#include "experiment/run.hpp"'
accepts main.cpp '#include "cli/train.hpp"'
accepts main.cpp '#include <CLI/CLI.hpp>'

refuses base/text.hpp '#include "config/fields.hpp"' 'comes before config'
refuses base/text.hpp '  #  include <config/fields.hpp>' 'comes before config'
refuses model/deep/block.cpp '#include "training/trainer.hpp"' 'comes before training'
refuses base/text.hpp '#include <torch/torch.h>' 'without LibTorch'
refuses report/table.cpp '#include <ATen/ATen.h>' 'without LibTorch'
refuses statistics/mean.cpp '#include <c10/util/Half.h>' 'without LibTorch'
refuses base/text.cpp '#include "text.hpp"' 'path from a layer on'
refuses base/text.cpp '#include "../config/fields.hpp"' 'path from a layer on'
lay_out plotting/axis.hpp ''
if output=$("$check" "$tree"); then
  echo 'accepted a folder that is no layer'
  exit 1
fi
