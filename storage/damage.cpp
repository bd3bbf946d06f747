#include "storage/damage.h"

#include <utility>

#include "daemon/model/error.h"

namespace iobenchd::storage {

std::string damage_text(const std::string& path, const std::string& why) {
  return "the database " + path + " is damaged (" + why +
         "): stop the daemon and restore a backup (iobench restore FILE), or move it away and "
         "start anew; until then it is left as it is, and nothing is taken in";
}

void Damage::note(const std::string& why) {
  Listener listener;
  {
    const std::lock_guard lock(mutex_);
    if (noted_) return;
    text_ = why;
    noted_ = true;
    listener = listener_;
  }
  if (listener) listener(why);
}

std::string Damage::text() const {
  const std::lock_guard lock(mutex_);
  return text_;
}

void Damage::refuse() const {
  if (noted_) throw Error(ErrorCode::unavailable, text());
}

void Damage::listen(Listener listener) {
  std::string why;
  Listener now;
  {
    const std::lock_guard lock(mutex_);
    listener_ = std::move(listener);
    now = listener_;
    why = text_;
  }
  if (now && !why.empty()) now(why);
}

}  // namespace iobenchd::storage
