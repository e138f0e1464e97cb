// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scripts with which shells complete command lines. They are made of the command line's own
// definition, so that they have its options, all of them, and the values of those that have few.
// Behind FILE:: stand the kernels that `nereid kernels FILE` lists.
#include "Commands.h"
#include "Completion.h"
#include "nereid/devices.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace nereid::command {
namespace {

std::map<const CLI::Option *, std::function<std::vector<std::string>()>> &offers() {
  static std::map<const CLI::Option *, std::function<std::vector<std::string>()>> all;
  return all;
}

struct Entry {
  std::string name, meaning;       // of an argument without a name, none
  std::vector<Entry> options = {}; // of a command
  std::string values = {};         // of an option, with blanks between
  std::string shortNames = {};     // "|-d"
};

std::string replaced(std::string text, std::string_view what, std::string_view by) {
  for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
  return text;
}

std::string firstLine(const std::string &text) { return text.substr(0, text.find('\n')); }

/// Of CLI::IsMember the option's type tells: "TEXT:{bash,zsh,fish}".
std::string valuesOf(const CLI::Option &option) {
  if (auto found = offers().find(&option); found != offers().end()) {
    std::string values;
    for (const std::string &value : found->second())
      values += (values.empty() ? "" : " ") + value;
    return values;
  }
  std::string type = option.get_type_name();
  size_t open = type.rfind('{'), close = type.rfind('}');
  bool isList = open != std::string::npos && close != std::string::npos && open < close;
  return isList ? replaced(type.substr(open + 1, close - open - 1), ",", " ") : "";
}

std::vector<Entry> optionsOf(const CLI::App &command) {
  std::vector<Entry> options;
  for (const CLI::Option *option : command.get_options()) {
    Entry entry{"", firstLine(option->get_description()), {}, valuesOf(*option)};
    for (const std::string &name : option->get_snames())
      entry.shortNames += "|-" + name;
    if (option->get_positional())
      options.push_back(entry);
    for (const std::string &name : option->get_lnames()) {
      entry.name = name;
      options.push_back(entry);
    }
  }
  return options;
}

std::vector<Entry> commandsOf(const CLI::App &program) {
  std::vector<Entry> commands;
  for (const CLI::App *command : program.get_subcommands([](const CLI::App *) { return true; }))
    if (!command->get_group().empty())
      commands.push_back(
          {command->get_name(), firstLine(command->get_description()), optionsOf(*command)});
  return commands;
}

bool isNamed(const Entry &entry) { return !entry.name.empty(); }

std::string words(const std::vector<Entry> &entries, const char *prefix) {
  std::string text;
  for (const Entry &entry : entries)
    if (isNamed(entry))
      text += (text.empty() ? "" : " ") + (prefix + entry.name);
  return text;
}

/// For bash and zsh: which values follow what stands before them, as branches of a case.
std::string valueBranches(const Entry &command, const char *open, const char *close) {
  std::string text;
  for (const Entry &option : command.options)
    if (isNamed(option) && !option.values.empty())
      text += " --" + option.name + option.shortNames + ") values=" + open + option.values + close +
              " ;;";
  for (const Entry &option : command.options) // last: it stands behind anything
    if (!isNamed(option) && !option.values.empty())
      text += " *) values=" + (open + option.values) + close + " ;;";
  return text.empty() ? "" : " case $before in" + text + " esac;";
}

std::string bash(const std::vector<Entry> &commands, const std::vector<Entry> &options) {
  std::string text = "# nereid completion bash >> ~/.bashrc\n_nereid() {\n"
                     "  local word=${COMP_WORDS[COMP_CWORD]} words values\n"
                     "  local before=${COMP_WORDS[COMP_CWORD-1]}\n"
                     "  [[ $word == = ]] && word= || [[ $before != = ]] ||\n"
                     "    before=${COMP_WORDS[COMP_CWORD-2]}\n"
                     "  if [ $COMP_CWORD = 1 ]; then words='" +
                     words(commands, "") + ' ' + words(options, "--") +
                     "'\n  else case ${COMP_WORDS[1]} in\n";
  for (const Entry &command : commands)
    text += "    " + command.name + ") words='" + words(command.options, "--") + "';" +
            valueBranches(command, "'", "'") + " ;;\n";
  // Colons part words for readline, which then replaces only what stands behind the last one.
  return text + "  esac; fi\n"
                "  local whole=${COMP_LINE:0:COMP_POINT}\n  whole=${whole##*[[:space:]]}\n"
                "  if [ $COMP_CWORD = 1 ] || [[ $word == -* ]]; then\n"
                "    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
                "  elif [[ $values ]]; then\n"
                "    local first=\n    [[ $word == *,* ]] && first=${word%,*},\n"
                "    compopt +o filenames 2>/dev/null\n"
                "    COMPREPLY=($(compgen -P \"$first\" -W \"$values\" -- \"${word##*,}\"))\n"
                "  elif [[ $whole == *::* ]]; then\n"
                "    local file=${whole%%::*} before=\n"
                "    [[ $COMP_WORDBREAKS == *:* ]] || before=$file::\n"
                "    compopt +o filenames 2>/dev/null\n"
                "    words=$(nereid kernels \"$file\" 2>/dev/null)\n"
                "    COMPREPLY=($(compgen -P \"$before\" -W \"$words\" -- \"${whole#*::}\"))\n"
                "  else\n    COMPREPLY=($(compgen -f -- \"$word\"))\n  fi\n}\n"
                "complete -o filenames -F _nereid nereid\n";
}

std::string zshList(const std::vector<Entry> &entries, const char *prefix) {
  std::string text;
  for (const Entry &entry : entries)
    if (isNamed(entry)) {
      std::string meaning = replaced(replaced(entry.meaning, "\\", "\\\\"), ":", "\\:");
      text += " '" + (prefix + entry.name) + ':' + replaced(meaning, "'", "'\\''") + '\'';
    }
  return text;
}

std::string zsh(const std::vector<Entry> &commands, const std::vector<Entry> &options) {
  std::string text =
      "#compdef nereid\n# nereid completion zsh > \"${fpath[1]}/_nereid\"\n_nereid() {\n"
      "  local -a entries values\n  local before=$words[CURRENT-1]\n"
      "  if [[ $PREFIX == --*=* ]]; then before=${PREFIX%%=*}; compset -P '*='; fi\n"
      "  if (( CURRENT == 2 )); then\n    entries=(" +
      zshList(commands, "") + zshList(options, "--") +
      ")\n    _describe command entries\n    return\n  fi\n  case $words[2] in\n";
  for (const Entry &command : commands)
    text += "    " + command.name + ") entries=(" + zshList(command.options, "--") + ");" +
            valueBranches(command, "(", ")") + " ;;\n";
  return text + "  esac\n  if [[ $PREFIX == -* ]]; then _describe option entries\n"
                "  elif (( $#values )); then compset -P '*,'; compadd -- $values\n"
                "  elif compset -P 1 '*::'; then\n"
                "    compadd -- ${(f)\"$(nereid kernels ${(Q)IPREFIX%::} 2>/dev/null)\"}\n"
                "  else _files; fi\n}\n"
                "compdef _nereid nereid\n";
}

/// -x: it has a value, and no file.
std::string fishLine(const std::string &where, const Entry &option) {
  std::string line = "complete -c nereid -n " + where;
  if (isNamed(option))
    line += " -l " + option.name;
  if (!option.values.empty())
    line += std::string(isNamed(option) ? " -x" : " -f") + " -a '" + option.values + "'";
  std::string meaning = replaced(replaced(option.meaning, "\\", "\\\\"), "'", "\\'");
  return line + " -d '" + meaning + "'\n";
}

std::string fish(const std::vector<Entry> &commands, const std::vector<Entry> &options) {
  const std::string first = "__fish_use_subcommand";
  std::string text = "# nereid completion fish > ~/.config/fish/completions/nereid.fish\n";
  for (const Entry &option : options)
    text += fishLine(first, option);
  for (const Entry &command : commands) {
    text += fishLine(first + " -a " + command.name, {"", command.meaning});
    for (const Entry &option : command.options)
      if (isNamed(option) || !option.values.empty())
        text += fishLine("'__fish_seen_subcommand_from " + command.name + "'", option);
  }
  return text + "function __nereid_kernels\n"
                "  set -l file (string replace -r '::.*' '' -- (commandline -ct))\n"
                "  for name in (nereid kernels $file 2>/dev/null)\n    echo $file::$name\n"
                "  end\nend\n"
                "complete -c nereid -n 'string match -q \"*::*\" -- (commandline -ct)' -f -a "
                "'(__nereid_kernels)'\n";
}

void print(const CLI::App &program, const std::string &shell) {
  std::vector<Entry> commands = commandsOf(program), options = optionsOf(program);
  std::string text = shell == "bash"  ? bash(commands, options)
                     : shell == "zsh" ? zsh(commands, options)
                                      : fish(commands, options);
  std::fputs(text.c_str(), stdout);
}

} // namespace

CLI::Option *offer(CLI::Option *option, std::function<std::vector<std::string>()> values) {
  offers()[option] = std::move(values);
  return option;
}

std::vector<std::string> deviceNames() {
  std::vector<std::string> names;
  for (const DeviceInfo &device : devices())
    names.push_back(device.name);
  return names;
}

std::vector<std::string> gpuNames() {
  std::vector<std::string> names = targetNames();
  std::erase_if(names, [](const std::string &name) { return !name.starts_with("sm_"); });
  return names;
}

void defineCompletionCommand(CLI::App &command) {
  auto shell = std::make_shared<std::string>();
  command.add_option("shell", *shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command.callback([shell, &command] { print(*command.get_parent(), *shell); });
}

} // namespace nereid::command
