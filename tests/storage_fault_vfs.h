// A VFS between SQLite and the system whose N-th write, sync, open or truncation fails, once or
// from then on. SQLite's default for as long as one of these lives. One at a time.
#pragma once

#include <sqlite3.h>

#include <cstddef>
#include <stdexcept>

namespace iobenchd::storage_test {

enum class Step { write, sync, open, truncate };

struct FaultPlan {
  Step step = Step::write;
  int nth = 0;  // from 1; 0: nothing fails
  bool from_then_on = false;
  int code = SQLITE_IOERR_WRITE;
};

class FaultVfs {
 public:
  explicit FaultVfs(const FaultPlan& plan) : real_(sqlite3_vfs_find(nullptr)) {
    if (living_ != nullptr) throw std::logic_error("two of them at once");
    living_ = this;
    plan_ = plan;
    vfs_ = *real_;
    vfs_.zName = "iobenchd-faults";
    vfs_.szOsFile = static_cast<int>(sizeof(File)) + real_->szOsFile;
    vfs_.xOpen = open;
    sqlite3_vfs_register(&vfs_, 1);
  }
  ~FaultVfs() {
    sqlite3_vfs_unregister(&vfs_);
    living_ = nullptr;
  }
  FaultVfs(const FaultVfs&) = delete;
  FaultVfs& operator=(const FaultVfs&) = delete;

  [[nodiscard]] bool has_struck() const { return struck_; }

 private:
  struct File {
    sqlite3_file base;
    sqlite3_file* real;  // in the memory behind this one
  };

  static sqlite3_file* real_of(sqlite3_file* file) { return reinterpret_cast<File*>(file)->real; }
  template <typename Call>
  static int pass(sqlite3_file* file, Call call) {
    return call(real_of(file), real_of(file)->pMethods);
  }

  static bool fails(Step step) {
    FaultVfs& self = *living_;
    if (self.plan_.nth == 0 || step != self.plan_.step) return false;
    ++self.count_;
    const bool now =
        self.plan_.from_then_on ? self.count_ >= self.plan_.nth : self.count_ == self.plan_.nth;
    self.struck_ = self.struck_ || now;
    return now;
  }
  static int code() { return living_->plan_.code; }

  static int open(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* out_flags) {
    auto* mine = reinterpret_cast<File*>(file);
    mine->base.pMethods = nullptr;  // SQLite closes nothing that didn't open
    mine->real = reinterpret_cast<sqlite3_file*>(mine + 1);
    if (fails(Step::open)) return code();
    const int result = living_->real_->xOpen(living_->real_, name, mine->real, flags, out_flags);
    if (result == SQLITE_OK) mine->base.pMethods = &methods();
    return result;
  }
  // A write that fails has written half: power goes when it wants to.
  static int write(sqlite3_file* file, const void* bytes, int size, sqlite3_int64 at) {
    const bool torn = fails(Step::write);
    const int result = pass(file, [&](auto* real, auto* m) {
      return m->xWrite(real, bytes, torn ? size / 2 : size, at);
    });
    return torn ? code() : result;
  }
  // What is asked for is counted; a test that survives no power cut needn't wait for the disk.
  static int sync(sqlite3_file*, int) { return fails(Step::sync) ? code() : SQLITE_OK; }
  static int truncate(sqlite3_file* file, sqlite3_int64 size) {
    if (fails(Step::truncate)) return code();
    return pass(file, [&](auto* real, auto* m) { return m->xTruncate(real, size); });
  }

  static const sqlite3_io_methods& methods() {
    static const sqlite3_io_methods table = [] {
      sqlite3_io_methods m{};
      m.iVersion = 2;
      m.xClose = [](auto* f) { return pass(f, [](auto* r, auto* p) { return p->xClose(r); }); };
      m.xRead = [](auto* f, void* to, int size, sqlite3_int64 at) {
        return pass(f, [&](auto* r, auto* p) { return p->xRead(r, to, size, at); });
      };
      m.xWrite = write;
      m.xTruncate = truncate;
      m.xSync = sync;
      m.xFileSize = [](auto* f, sqlite3_int64* size) {
        return pass(f, [&](auto* r, auto* p) { return p->xFileSize(r, size); });
      };
      m.xLock = [](auto* f, int level) {
        return pass(f, [&](auto* r, auto* p) { return p->xLock(r, level); });
      };
      m.xUnlock = [](auto* f, int level) {
        return pass(f, [&](auto* r, auto* p) { return p->xUnlock(r, level); });
      };
      m.xCheckReservedLock = [](auto* f, int* held) {
        return pass(f, [&](auto* r, auto* p) { return p->xCheckReservedLock(r, held); });
      };
      m.xFileControl = [](auto* f, int what, void* about) {
        return pass(f, [&](auto* r, auto* p) { return p->xFileControl(r, what, about); });
      };
      m.xSectorSize = [](auto* f) {
        return pass(f, [](auto* r, auto* p) { return p->xSectorSize(r); });
      };
      m.xDeviceCharacteristics = [](auto* f) {
        return pass(f, [](auto* r, auto* p) { return p->xDeviceCharacteristics(r); });
      };
      m.xShmMap = [](auto* f, int region, int size, int extend, void volatile** to) {
        return pass(f, [&](auto* r, auto* p) { return p->xShmMap(r, region, size, extend, to); });
      };
      m.xShmLock = [](auto* f, int offset, int n, int flags) {
        return pass(f, [&](auto* r, auto* p) { return p->xShmLock(r, offset, n, flags); });
      };
      m.xShmBarrier = [](auto* f) { real_of(f)->pMethods->xShmBarrier(real_of(f)); };
      m.xShmUnmap = [](auto* f, int remove) {
        return pass(f, [&](auto* r, auto* p) { return p->xShmUnmap(r, remove); });
      };
      return m;
    }();
    return table;
  }

  static inline FaultVfs* living_ = nullptr;
  sqlite3_vfs* real_;
  sqlite3_vfs vfs_{};
  FaultPlan plan_;
  int count_ = 0;
  bool struck_ = false;
};

}  // namespace iobenchd::storage_test
