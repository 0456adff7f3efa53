#!/usr/bin/env bash
# Tests that a LibTorch that does not fit is refused by CMake in one message that says why.
set -euo pipefail

source=$(dirname "$(readlink -f "$0")")/../..
sandbox=$(mktemp -d)
trap 'rm -rf "$sandbox"' EXIT
unset Torch_DIR

# torch NAME VERSION: a folder NAME with a LibTorch of that version, whose TorchConfig.cmake is read
# from the standard input.
torch() {
  mkdir -p "$sandbox/$1"
  cat >"$sandbox/$1/TorchConfig.cmake"
  cat >"$sandbox/$1/TorchConfigVersion.cmake" <<END
set(PACKAGE_VERSION "$2")
set(PACKAGE_VERSION_COMPATIBLE TRUE)
END
}

# refuses NAME MESSAGE: the message is compared without its line breaks.
refuses() {
  local said
  if said=$(cmake -G Ninja -S "$source" -B "$sandbox/build" "-DTorch_DIR=$sandbox/$1" 2>&1); then
    echo "accepted the LibTorch '$1'"
    exit 1
  fi
  if [[ $(tr -s '[:space:]' ' ' <<<"$said") != *"$2"* || $(grep -c '^CMake Error' <<<"$said") != 1 ]]; then
    echo "said this of the LibTorch '$1', where one message with '$2' was expected:"
    echo "$said"
    exit 1
  fi
}

torch old 1.8.0 <<<'set(Torch_FOUND TRUE)'
refuses old "qkvlab needs LibTorch 1.13 to 2.x; $sandbox/old holds 1.8.0."
torch new 3.0.0 <<<'set(Torch_FOUND TRUE)'
refuses new "qkvlab needs LibTorch 1.13 to 2.x; $sandbox/new holds 3.0.0."
torch nameless '' <<<'set(Torch_FOUND TRUE)'
refuses nameless "$sandbox/nameless holds an unknown version."
torch broken 2.6.0 <<<'set(Torch_FOUND FALSE)'
refuses broken "Torch was not found (these are broken: $sandbox/broken/TorchConfig.cmake)."
torch headless 2.6.0 <<<'set(Torch_FOUND TRUE)'
refuses headless 'it lacks the header torch/torch.h'
torch abi 2.6.0 <<<'set(TORCH_CXX_FLAGS "-D_GLIBCXX_USE_CXX11_ABI=0")'
refuses abi "The LibTorch in $sandbox/abi was built for the ABI before C++11"
# A LibTorch of the system, where there is one, must not lend a part of itself to another.
torch whole/share/cmake/Torch 2.6.0 <<<"find_package(Caffe2 PATHS \${CMAKE_CURRENT_LIST_DIR}/../Caffe2)"
mkdir "$sandbox/whole/share/cmake/Caffe2"
echo 'message(FATAL_ERROR "the Caffe2 beside it")' >"$sandbox/whole/share/cmake/Caffe2/Caffe2Config.cmake"
refuses whole/share/cmake/Torch 'the Caffe2 beside it'
mkdir "$sandbox/empty"
refuses empty "Torch_DIR is $sandbox/empty, which holds no TorchConfig.cmake."
export Torch_DIR=$sandbox/empty
refuses headless "Torch_DIR is $sandbox/empty, which holds no TorchConfig.cmake."
