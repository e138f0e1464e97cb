// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Prompt.h"
#include "FormatText.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdio>
#include <fstream>
#include <iostream>

namespace nereid::command {
namespace {

constexpr const char *promptHelp =
    R"(  NAME or an expression over the variables, in the kernel's language: shows its value
  v   the variables, with their types
  l   the lines around this one
  s   goes on to this program's next line
  c   goes on to the next breakpoint
  q   goes on to the end, without a stop
An empty line does the last s or c again. A variable that is called like a command is in brackets: (v).
)";

[[noreturn]] void failBreak(const std::string &text) {
  throw Error(Error::Kind::Usage,
              "--break " + text + ": FILE:LINE[,pid=X[:Y[:Z]]][,tid=X[:Y[:Z]]] is accepted");
}

uint32_t parseNumber(std::string_view digits, const std::string &text) {
  uint32_t number;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size())
    failBreak(text);
  return number;
}

/// "x: f32[16,4]", "BLOCK = 64"
std::string describe(const Stop::Variable &variable) {
  if (!variable.constant.empty())
    return variable.name + " = " + variable.constant;
  std::string text = variable.name + ": " + std::string(shortName(variable.type));
  for (size_t i = 0; i < variable.shape.size(); ++i)
    text += (i ? "," : "[") + std::to_string(variable.shape[i]);
  return text + (variable.shape.empty() ? "" : "]");
}

bool usesName(const std::string &expression, const std::string &name) {
  auto isPart = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  for (size_t at = expression.find(name); at != std::string::npos;
       at = expression.find(name, at + 1)) {
    bool begins = at == 0 || !isPart(expression[at - 1]);
    size_t end = at + name.size();
    if (begins && (end == expression.size() || !isPart(expression[end])))
      return true;
  }
  return false;
}

std::string trimmed(const std::string &text) {
  size_t begin = text.find_first_not_of(" \t\r"), end = text.find_last_not_of(" \t\r");
  return begin == std::string::npos ? "" : text.substr(begin, end - begin + 1);
}

/// "X if axis == 0 else Y if axis == 1 else Z"
std::string byAxis(uint32_t x, uint32_t y, uint32_t z) {
  return std::to_string(x) + " if axis == 0 else " + std::to_string(y) + " if axis == 1 else " +
         std::to_string(z);
}

void replaceAll(std::string &text, const std::string &from, const std::string &to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

/// Without what marks a line of text as a program's.
std::string withoutProgram(std::string printed) {
  constexpr std::string_view mark = "pid (0, 0, 0) ";
  return printed.starts_with(mark) ? printed.substr(mark.size()) : printed;
}

/// The language evaluates it: a kernel that loads the variables which it names and prints it. That
/// kernel is one program, and so what it asks about programs is answered for the one that stopped.
std::string evaluate(std::string expression, const Stop &stop, const Grid &grid) {
  replaceAll(expression, "tl.program_id(", "program_id_(");
  replaceAll(expression, "tl.num_programs(", "num_programs_(");
  bool isText = expression.starts_with("f'") || expression.starts_with("f\"");
  Device device = Device::open("cpu");
  std::string parameters, body;
  Arguments arguments;
  for (const Stop::Variable &variable : stop.variables) {
    if (!usesName(expression, variable.name))
      continue;
    if (!variable.constant.empty()) {
      body += "    " + variable.name + ": tl.constexpr = " + variable.constant + "\n";
      continue;
    }
    std::string pointer = variable.name + "_at", shape, load = pointer;
    int64_t count = 1;
    for (int64_t size : variable.shape) {
      shape += std::to_string(size) + ", ";
      count *= size;
    }
    if (!variable.shape.empty())
      load += " + tl.arange(0, " + std::to_string(count) + ")";
    load = "tl.load(" + load + ")";
    body += "    " + variable.name + " = " +
            (variable.shape.size() > 1 ? "tl.reshape(" + load + ", (" + shape + "))" : load) + "\n";
    parameters += (parameters.empty() ? "" : ", ") + pointer;
    Array array = device.empty(variable.type, {count});
    array.copyFrom(variable.elements.data());
    arguments.push_back({pointer, array});
  }
  auto answer = [](const std::string &name, const std::string &value) {
    return "@triton.jit\ndef " + name + "(axis: tl.constexpr):\n    return tl.full((), " + value +
           ", tl.int32)\n";
  };
  // An assignment would make numbers of the run of constants; a parameter does not.
  std::string text =
      "import triton\nimport triton.language as tl\n" +
      answer("program_id_", byAxis(stop.program.x, stop.program.y, stop.program.z)) +
      answer("num_programs_", byAxis(grid.x, grid.y, grid.z)) +
      "@triton.jit\ndef print_(value):\n    print(f'{value}')\n@triton.jit\ndef show(" +
      parameters + "):\n" + body + (isText ? "    print(" : "    print_(") + expression + ")\n";
  std::string printed;
  Module::fromText(text, "<expression>")
      .kernel("show")
      .launch(device, Grid{}, arguments,
              {.print = [&](std::string_view lines) { printed += lines; }});
  return withoutProgram(std::move(printed));
}

void listLines(const Place &place) {
  std::ifstream in(place.file);
  unsigned number = 0;
  for (std::string line; std::getline(in, line);)
    if (++number + 5 >= place.line && number <= place.line + 5)
      say(stdout, "%s%5u  %s\n", number == place.line ? ">" : " ", number, line.c_str());
}

std::string lineAt(const Place &place) {
  std::ifstream in(place.file);
  std::string line;
  for (unsigned number = 0; number < place.line && std::getline(in, line);)
    ++number;
  return line;
}

} // namespace

/// X[:Y[:Z]]
static std::vector<uint32_t> parseIndices(const std::string &indices, const std::string &text) {
  std::vector<uint32_t> numbers;
  for (size_t begin = 0; begin <= indices.size();) {
    size_t end = std::min(indices.find(':', begin), indices.size());
    numbers.push_back(parseNumber(indices.substr(begin, end - begin), text));
    begin = end + 1;
  }
  if (numbers.size() > 3)
    failBreak(text);
  return numbers;
}

BreakRequest parseBreak(const std::string &text) {
  BreakRequest request;
  std::string place = text.substr(0, text.find(','));
  size_t colon = place.rfind(':');
  if (colon == std::string::npos)
    failBreak(text);
  request.place = {place.substr(0, colon), parseNumber(place.substr(colon + 1), text), 0};
  for (size_t begin = place.size() + 1; begin <= text.size();) {
    size_t end = std::min(text.find(',', begin), text.size());
    std::string which = text.substr(begin, end - begin);
    std::vector<uint32_t> &numbers = which.starts_with("tid=") ? request.thread : request.program;
    if (!numbers.empty() || !(which.starts_with("pid=") || which.starts_with("tid=")))
      failBreak(text);
    numbers = parseIndices(which.substr(4), text);
    begin = end + 1;
  }
  return request;
}

bool Prompt::isMeant(const Stop &stop) const {
  auto isAt = [](const std::vector<uint32_t> &wanted, const Finding::Program &where) {
    const uint32_t indices[] = {where.x, where.y, where.z};
    return std::equal(wanted.begin(), wanted.end(), indices);
  };
  return std::any_of(requests.begin(), requests.end(), [&](const BreakRequest &request) {
    return request.place.line == stop.place.line && isCalled(request.place.file, stop.place.file) &&
           isAt(request.program, stop.program) &&
           (request.thread.empty() || (stop.thread && isAt(request.thread, *stop.thread)));
  });
}

std::optional<Resume> Prompt::obey(const std::string &command, const Stop &stop) {
  if (command == "c")
    return Resume::Continue;
  if (command == "s")
    return Resume::Step;
  if (command == "q")
    return Resume::Finish;
  if (command == "h" || command == "?" || command == "help") {
    std::fputs(promptHelp, stdout);
  } else if (command == "l") {
    listLines(stop.place);
  } else if (command == "v") {
    for (const Stop::Variable &variable : stop.variables)
      say(stdout, "  %s\n", describe(variable).c_str());
  } else {
    try {
      sayText(stdout, evaluate(command, stop, grid));
    } catch (const Error &error) {
      if (error.findings().empty())
        std::printf("%s\n", error.what());
      else // the text round the expression is nobody's
        say(stdout, "error: %s\n", error.findings()[0].text.c_str());
    }
  }
  return std::nullopt;
}

Resume Prompt::stop(const Stop &stop) {
  if (!isStepping && !isMeant(stop))
    return Resume::Continue;
  if (stops++ == 0)
    std::printf("(h for promptHelp)\n");
  auto sayIndices = [](const char *noun, const Finding::Program &where) {
    std::printf("%s (%u, %u, %u)", noun, where.x, where.y, where.z);
  };
  if (stop.thread)
    sayIndices("thread", *stop.thread);
  sayIndices(stop.thread ? " of block" : "program", stop.program);
  say(stdout, " at %s:%u\n%s\n", stop.place.file.c_str(), stop.place.line,
      lineAt(stop.place).c_str());
  for (std::string line;;) {
    std::printf("> ");
    std::fflush(stdout);
    if (!std::getline(std::cin, line)) {
      std::printf("\n");
      return Resume::Finish;
    }
    std::string command = trimmed(line);
    if (command.empty())
      command = last;
    if (command.empty())
      continue;
    if (std::optional<Resume> resume = obey(command, stop)) {
      last = command;
      isStepping = *resume == Resume::Step;
      return *resume;
    }
  }
}

} // namespace nereid::command
