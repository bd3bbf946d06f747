#include "api/documents.h"

#include <algorithm>
#include <string>

#include "daemon/model/error.h"

namespace iobenchd::api {

namespace {

constexpr std::size_t documents_most = 1000;
constexpr std::size_t keys_most = 100;
constexpr std::string_view blanks = " \t\r\n";

// Where a line begins with "{" (blanks before it don't count), from `from` on; npos: nowhere.
std::size_t next_opening(std::string_view text, std::size_t from) {
  while (from < text.size()) {
    const std::size_t word = text.find_first_not_of(blanks, from);
    if (word == std::string_view::npos) return word;
    if (text[word] == '{') return word;
    const std::size_t end = text.find('\n', word);
    if (end == std::string_view::npos) return end;
    from = end + 1;
  }
  return std::string_view::npos;
}

// Behind the quote that closes the string which begins at `at`; the end where none does.
std::size_t behind_string(std::string_view text, std::size_t at) {
  for (++at; at < text.size(); ++at) {
    if (text[at] == '\\') {
      ++at;
    } else if (text[at] == '"') {
      return at + 1;
    }
  }
  return text.size();
}

// Finds the document's end, and its own keys on the way.
Document document_at(std::string_view text, std::size_t start) {
  Document document;
  document.offset = start;
  std::size_t depth = 0;
  std::size_t at = start;
  while (at < text.size()) {
    const char c = text[at];
    if (c == '"') {
      const std::size_t end = behind_string(text, at);
      const std::size_t next = text.find_first_not_of(blanks, end);
      if (depth == 1 && document.keys.size() < keys_most && next != std::string_view::npos &&
          text[next] == ':') {
        document.keys.push_back(text.substr(at + 1, end - at - 2));
      }
      at = end;
      continue;
    }
    ++at;
    if (c == '{' || c == '[') ++depth;
    if (c != '}' && c != ']') continue;
    if (depth <= 1) break;
    --depth;
  }
  document.text = text.substr(start, at - start);
  return document;
}

}  // namespace

bool Document::has(std::string_view key) const {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

std::vector<Document> split_documents(std::string_view text) {
  std::vector<Document> documents;
  std::size_t start = next_opening(text, 0);
  if (start == std::string_view::npos) start = text.find('{');
  std::size_t counted = 0, line = 1;
  while (start != std::string_view::npos) {
    if (documents.size() == documents_most) {
      const std::string reason =
          "more than " + std::to_string(documents_most) + " documents; split the file";
      throw Error(reason, {{"", reason}});
    }
    Document document = document_at(text, start);
    const std::string_view before = text.substr(counted, start - counted);
    line += static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
    counted = start;
    document.line = line;
    start = next_opening(text, start + document.text.size());
    documents.push_back(std::move(document));
  }
  return documents;
}

}  // namespace iobenchd::api
