// fio's terse output, version 3 (--output-format=terse, --minimal) -> a sweep. Pure; safe from any
// thread.
#pragma once

#include <string_view>

#include "api/imports.h"

namespace iobenchd::api {

// Whether a line begins as one of terse does, of any version ("3;fio-3.33;...").
[[nodiscard]] bool is_fio_terse(std::string_view text);

// One line a job, or a group of jobs; other lines are warnings and are skipped. What terse doesn't
// tell is in `facts`: bs (else 4k), iodepth (else 1), rw (else random), and numjobs where neither
// the clones' lines nor a number at the end of the job's name tell. Throws Error{invalid} with
// line, field and reason of everything that is wrong.
[[nodiscard]] ImportedTable parse_fio_terse(std::string_view text, const ImportFacts& facts);

}  // namespace iobenchd::api
