// One run of our own export, read back. Pure; safe from any thread.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "daemon/model/error.h"
#include "daemon/model/run.h"

namespace iobenchd::api {

class RecordReader;

// As render_recorded_run wrote it; its ids are the store's to give. `where` ("runs[3]") stands
// before the names of its fields in `errors`, which get every wrong one.
[[nodiscard]] Run read_recorded_run(const nlohmann::ordered_json& value, const std::string& where,
                                    std::vector<FieldError>& errors);

// rw, bs, iodepth and numjobs of any record.
void read_recorded_setting(RecordReader& fields, Setting& setting);

}  // namespace iobenchd::api
