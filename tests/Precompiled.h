// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What nearly every test includes, compiled once and as tests are: without optimisation.
#pragma once

#include "../src/Precompiled.h"
#include "nereid/nereid.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <random>
#include <sstream>
