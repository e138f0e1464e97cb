// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Trial.h"

namespace nereid::gallery {

/// The sizes of one case, in the order that the listing's function gives them.
using Extents = std::vector<int64_t>;

/// A kernel of the documents, how to run it and at which sizes.
struct Listing {
  std::string id;   ///< "N1"
  std::string file; ///< below the directory of kernels
  std::string kernel;
  std::function<void(Trial &, const Extents &)> run;
  std::vector<Extents> small; ///< for every executor
  std::vector<Extents> large; ///< only where kernels are compiled
  std::string remark;         ///< what sets this apart from another listing of the kernel
};
using Listings = std::vector<Listing>;

/// Files that some listings read or write.
struct Pictures {
  std::string photo;   ///< an image to grey
  std::string picture; ///< where the grey image goes; empty: nowhere
};

// The listings of each document.
Listings notebookListings();
Listings notebookThreadListings();
Listings guideListings();
Listings guideElementListings();
Listings readmeListings();
Listings practitionerListings(const Pictures &pictures);
/// Of both, those that tune.
Listings tunedListings();

/// Vectors that are added: G1, and R1, whose parameters have the same names.
void addVectors(Trial &trial, const Extents &size);
/// Expects in `c` the product of two row-major matrices, m x k and k x n, and says how many
/// operations that is. What each product of two elements may lose comes besides, in roundings.
void expectProduct(Trial &trial, const Array &c, const Values &a, const Values &b, int64_t m,
                   int64_t n, int64_t k, double productRoundings = 0);

/// "64x128"
std::string sizeText(const Extents &size);

} // namespace nereid::gallery
