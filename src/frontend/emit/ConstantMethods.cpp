// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dictionaries, and Python's functions and methods of what is known while a kernel is compiled: of
// strings, integers and dictionaries, with which functions that compute constants are written.
#include "frontend/emit/Advice.h"

#include "support/SortStably.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringExtras.h"

namespace nereid::emit {

using sema::ConstantValue;

const Value *Dictionary::find(const Value &key) const {
  auto wanted = asConstant(key);
  for (size_t i = 0; i < keys.size(); ++i) {
    auto here = asConstant(keys[i]);
    if (wanted && here ? sema::isEqual(*wanted, *here) : isSame(key, keys[i]))
      return &values[i];
  }
  return nullptr;
}

namespace {

constexpr llvm::StringLiteral stringMethods[] = {
    "startswith", "endswith", "upper",   "lower", "strip",        "lstrip",
    "rstrip",     "split",    "replace", "join",  "removeprefix", "removesuffix"};
/// What Python's str.isspace() counts as blank, in UTF-8.
constexpr llvm::StringLiteral blanks[] = {
    "\t",           "\n",           "\v",           "\f",           "\r",
    "\x1c",         "\x1d",         "\x1e",         "\x1f",         " ",
    "\xc2\x85",     "\xc2\xa0",     "\xe1\x9a\x80", "\xe2\x80\x80", "\xe2\x80\x81",
    "\xe2\x80\x82", "\xe2\x80\x83", "\xe2\x80\x84", "\xe2\x80\x85", "\xe2\x80\x86",
    "\xe2\x80\x87", "\xe2\x80\x88", "\xe2\x80\x89", "\xe2\x80\x8a", "\xe2\x80\xa8",
    "\xe2\x80\xa9", "\xe2\x80\xaf", "\xe2\x81\x9f", "\xe3\x80\x80"};

/// The characters of a text, which is UTF-8.
std::vector<llvm::StringRef> charactersOf(llvm::StringRef text) {
  std::vector<llvm::StringRef> characters;
  while (!text.empty()) {
    auto isInside = [](char byte) { return (byte & 0xc0) == 0x80; };
    llvm::StringRef more = text.drop_front().take_while(isInside);
    characters.push_back(text.take_front(1 + more.size()));
    text = text.drop_front(1 + more.size());
  }
  return characters;
}

constexpr llvm::StringLiteral integerMethods[] = {"bit_length", "bit_count"};
constexpr llvm::StringLiteral dictionaryMethods[] = {"get", "keys", "values", "items"};
constexpr llvm::StringLiteral functions[] = {"sum", "any", "all", "sorted"};

/// One call of a function or method.
class ConstantCall {
public:
  ConstantCall(Emitter &emitter, const ConstantMethod &method,
               std::vector<Emitter::CallArgument> given, SourceRange range)
      : emitter(emitter), method(method), given(std::move(given)), range(range) {}

  Value run();

private:
  void expect(size_t least, size_t most) const;
  [[noreturn]] void failType(size_t index, const std::string &expected) const;
  std::string text(size_t index) const;
  std::vector<Value> elements(size_t index) const;
  bool flag(std::string_view name);

  Value ofString(llvm::StringRef object);
  Value ofInteger(sema::Integer object);
  Value ofDictionary(const Dictionary &object);
  Value ofElements();
  bool matches(llvm::StringRef object) const;
  Value split(llvm::StringRef object) const;
  std::string join(llvm::StringRef separator) const;
  std::string stripped(llvm::StringRef object) const;
  std::string withCase(llvm::StringRef object) const;
  std::string replaced(llvm::StringRef object) const;

  Emitter &emitter;
  const ConstantMethod &method;
  std::vector<Emitter::CallArgument> given;
  SourceRange range;
};

void ConstantCall::expect(size_t least, size_t most) const {
  for (const Emitter::CallArgument &argument : given)
    if (!argument.name.empty())
      fail(argument.range, DiagnosticId::unknown_argument, method.name, argument.name);
  if (given.size() < least)
    fail(range, DiagnosticId::missing_argument, std::to_string(given.size() + 1), method.name);
  if (given.size() > most)
    fail(given[most].range, DiagnosticId::too_many_arguments, method.name, most, given.size());
}

void ConstantCall::failType(size_t index, const std::string &expected) const {
  fail(given[index].range, DiagnosticId::argument_type, std::to_string(index + 1), method.name,
       expected, describe(given[index].value));
}

std::string ConstantCall::text(size_t index) const {
  const auto *constant = given[index].value.as<ConstantValue>();
  const auto *text = constant ? std::get_if<std::string>(constant) : nullptr;
  return text ? *text : (failType(index, "a string"), "");
}

std::vector<Value> ConstantCall::elements(size_t index) const {
  const Value &value = given[index].value;
  if (const auto *tuple = value.as<Tuple>())
    return tuple->elements;
  if (const auto *dictionary = value.as<Dictionary>())
    return dictionary->keys;
  if (const auto *sequence = value.as<RangeValue>())
    return emitter.staticElements(*sequence, given[index].range);
  failType(index, "a tuple, a list or a dictionary");
}

/// An argument that is given by name and taken away.
bool ConstantCall::flag(std::string_view name) {
  auto found = llvm::find_if(given, [&](const auto &each) { return each.name == name; });
  if (found == given.end())
    return false;
  bool isSet = emitter.constantCondition(found->value, name, found->range);
  given.erase(found);
  return isSet;
}

bool ConstantCall::matches(llvm::StringRef object) const {
  Tuple one{{given[0].value}};
  const auto *several = given[0].value.as<Tuple>();
  for (const Value &each : (several ? *several : one).elements) {
    const auto *constant = each.as<ConstantValue>();
    const auto *part = constant ? std::get_if<std::string>(constant) : nullptr;
    if (!part)
      failType(0, "a string or a tuple of them");
    if (method.name == "startswith" ? object.starts_with(*part) : object.ends_with(*part))
      return true;
  }
  return false;
}

Value ConstantCall::split(llvm::StringRef object) const {
  Tuple parts;
  auto add = [&](llvm::StringRef part) { parts.elements.push_back(stringValue(part.str())); };
  if (given.empty() || given[0].value.isNone()) {
    size_t length = 0; // of the word that ends before the character
    for (llvm::StringRef character : charactersOf(object)) {
      bool isBlank = llvm::is_contained(blanks, character);
      if (isBlank && length)
        add({character.data() - length, length});
      length = isBlank ? 0 : length + character.size();
    }
    if (length)
      add(object.take_back(length));
    emitter.checkTupleSize(parts.elements.size(), range);
    return parts;
  }
  std::string separator = text(0);
  if (separator.empty())
    failType(0, "a string that is not empty");
  llvm::SmallVector<llvm::StringRef> fields;
  object.split(fields, separator);
  emitter.checkTupleSize(fields.size(), range);
  llvm::for_each(fields, add);
  return parts;
}

std::string ConstantCall::join(llvm::StringRef separator) const {
  std::string all;
  bool isFirst = true;
  for (const Value &each : elements(0)) {
    const auto *constant = each.as<ConstantValue>();
    const auto *part = constant ? std::get_if<std::string>(constant) : nullptr;
    if (!part)
      failType(0, "a tuple of strings");
    sema::checkTextSize(sema::Integer(all.size() + separator.size() + part->size()), range);
    all += (std::exchange(isFirst, false) ? "" : separator.str()) + *part;
  }
  return all;
}

/// Without the characters that it begins or ends with, or both.
std::string ConstantCall::stripped(llvm::StringRef object) const {
  std::string set = given.empty() ? "" : text(0);
  std::vector<llvm::StringRef> away = charactersOf(set);
  if (given.empty())
    away.assign(std::begin(blanks), std::end(blanks));
  llvm::DenseSet<llvm::StringRef> isAway(away.begin(), away.end());
  std::vector<llvm::StringRef> all = charactersOf(object);
  llvm::ArrayRef<llvm::StringRef> left = all;
  while (method.name != "rstrip" && !left.empty() && isAway.contains(left.front()))
    left = left.drop_front();
  while (method.name != "lstrip" && !left.empty() && isAway.contains(left.back()))
    left = left.drop_back();
  return llvm::join(left, "");
}

/// Python changes letters of all alphabets, some of them to several.
std::string ConstantCall::withCase(llvm::StringRef object) const {
  for (llvm::StringRef character : charactersOf(object))
    if (character.size() > 1)
      failWithNote(range, {{}, "letters of ASCII have cases here; write the text as it is to be"},
                   DiagnosticId::not_supported_yet,
                   method.name + "() of a text that holds '" + character.str() + "'");
  return method.name == "upper" ? object.upper() : object.lower();
}

std::string ConstantCall::replaced(llvm::StringRef object) const {
  std::string from = text(0), to = text(1), result;
  if (from.empty())
    failType(0, "a string that is not empty");
  sema::Integer times = sema::Integer(object.count(from));
  sema::checkTextSize(sema::Integer(object.size()) +
                          times * (sema::Integer(to.size()) - sema::Integer(from.size())),
                      range);
  for (size_t at = object.find(from); at != llvm::StringRef::npos; at = object.find(from)) {
    result += object.take_front(at).str() + to;
    object = object.drop_front(at + from.size());
  }
  return result + object.str();
}

Value ConstantCall::ofString(llvm::StringRef object) {
  const std::string &name = method.name;
  if (name == "upper" || name == "lower") {
    expect(0, 0);
    return stringValue(withCase(object));
  }
  if (name == "strip" || name == "lstrip" || name == "rstrip") {
    expect(0, 1);
    return stringValue(stripped(object));
  }
  if (name == "split") {
    expect(0, 1);
    return split(object);
  }
  expect(name == "replace" ? 2 : 1, name == "replace" ? 2 : 1);
  if (name == "startswith" || name == "endswith")
    return boolValue(matches(object));
  if (name == "replace")
    return stringValue(replaced(object));
  if (name == "join")
    return stringValue(join(object));
  std::string part = text(0);
  name == "removeprefix" ? object.consume_front(part) : object.consume_back(part);
  return stringValue(object.str());
}

Value ConstantCall::ofInteger(sema::Integer object) {
  expect(0, 0);
  auto rest = static_cast<unsigned __int128>(object < 0 ? -object : object);
  sema::Integer length = 0, count = 0;
  for (; rest != 0; rest >>= 1, ++length)
    count += static_cast<int>(rest & 1);
  return integerValue(method.name == "bit_length" ? length : count);
}

Value ConstantCall::ofDictionary(const Dictionary &object) {
  if (method.name == "get") {
    expect(1, 2);
    const Value *found = object.find(given[0].value);
    return found ? *found : given.size() == 2 ? given[1].value : Value();
  }
  expect(0, 0);
  if (method.name != "items")
    return Tuple{method.name == "keys" ? object.keys : object.values};
  Tuple items;
  for (const auto &[key, value] : llvm::zip_equal(object.keys, object.values))
    items.elements.push_back(Tuple{{key, value}});
  return items;
}

/// sum, any, all, sorted
Value ConstantCall::ofElements() {
  bool isReversed = method.name == "sorted" && flag("reverse");
  expect(1, method.name == "sum" ? 2 : 1);
  std::vector<Value> all = elements(0);
  SourceRange where = given[0].range;
  if (method.name == "sum") {
    Value sum = given.size() == 2 ? given[1].value : integerValue(0);
    for (const Value &each : all)
      sum = emitter.binary(ast::BinaryOp::Add, sum, each, where);
    return sum;
  }
  if (method.name == "sorted") {
    sortStably(all, [&](const Value &lhs, const Value &rhs) {
      Value before =
          emitter.compare(isReversed ? ast::CompareOp::Gt : ast::CompareOp::Lt, lhs, rhs, where);
      return emitter.constantCondition(before, "the order of two elements", where);
    });
    return Tuple{std::move(all)};
  }
  bool isAny = method.name == "any";
  return boolValue(isAny == llvm::any_of(all, [&](const Value &each) {
                     return emitter.constantCondition(each, "an element", where) == isAny;
                   }));
}

Value ConstantCall::run() {
  if (!method.object)
    return ofElements();
  if (const auto *dictionary = method.object->as<Dictionary>())
    return ofDictionary(*dictionary);
  const auto &constant = *method.object->as<ConstantValue>();
  if (const auto *text = std::get_if<std::string>(&constant))
    return ofString(*text);
  return ofInteger(*sema::asInteger(constant));
}

} // namespace

std::optional<ConstantMethod> constantMethod(const Value &object, const std::string &name) {
  const auto *constant = object.as<ConstantValue>();
  bool isString = constant && std::holds_alternative<std::string>(*constant);
  bool isHere =
      (isString && llvm::is_contained(stringMethods, name)) ||
      (constant && sema::asInteger(*constant) && llvm::is_contained(integerMethods, name)) ||
      (object.is<Dictionary>() && llvm::is_contained(dictionaryMethods, name));
  return isHere ? std::optional(ConstantMethod{name, share(object)}) : std::nullopt;
}

std::optional<ConstantMethod> constantFunction(const std::string &name) {
  return llvm::is_contained(functions, name) ? std::optional(ConstantMethod{name, nullptr})
                                             : std::nullopt;
}

Value Emitter::callConstant(const ConstantMethod &method, std::vector<CallArgument> arguments,
                            SourceRange range) {
  return ConstantCall(*this, method, std::move(arguments), range).run();
}

/// A set is the tuple of its elements.
Value Emitter::evaluateDictionary(const ast::Dictionary &expr) {
  auto known = [&](const ast::Expr &part) {
    Value value = evaluate(part);
    auto constant = constexprForm(value);
    if (!constant)
      failNotConstexpr(
          *this, value,
          diagnose(part.range, DiagnosticId::not_constexpr, "what a dictionary or set holds"));
    return *constant;
  };
  Dictionary result;
  for (size_t i = 0; i < expr.keys.size(); ++i) {
    Value key = known(*expr.keys[i]), value = expr.isSet ? Value() : known(*expr.values[i]);
    if (const Value *before = result.find(key)) {
      result.values[static_cast<size_t>(before - result.values.data())] = std::move(value);
      continue;
    }
    result.keys.push_back(std::move(key));
    result.values.push_back(std::move(value));
  }
  if (expr.isSet)
    return checkedTuple(Tuple{std::move(result.keys)}, expr.range);
  checkTupleSize(result.keys.size(), expr.range);
  return result;
}

} // namespace nereid::emit
