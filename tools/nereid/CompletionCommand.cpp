// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scripts with which shells complete command lines. They are made of the command line's own
// definition, so that they have its options, all of them. Behind FILE:: stand the kernels that
// `nereid kernels FILE` lists.
#include "Commands.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>
#include <vector>

namespace nereid::command {
namespace {

struct Entry {
  std::string name, meaning;
  std::vector<Entry> options = {}; // of a command
};

/// The first line, without what shells would read as their own.
std::string plain(const std::string &description) {
  std::string text = description.substr(0, description.find('\n'));
  std::erase_if(text,
                [](char c) { return c == '\'' || c == '"' || c == '`' || c == '$' || c == '\\'; });
  return text;
}

std::vector<Entry> optionsOf(const CLI::App &command) {
  std::vector<Entry> options;
  for (const CLI::Option *option : command.get_options())
    for (const std::string &name : option->get_lnames())
      options.push_back({name, plain(option->get_description())});
  return options;
}

std::vector<Entry> commandsOf(const CLI::App &program) {
  std::vector<Entry> commands;
  for (const CLI::App *command : program.get_subcommands([](const CLI::App *) { return true; }))
    if (!command->get_group().empty())
      commands.push_back(
          {command->get_name(), plain(command->get_description()), optionsOf(*command)});
  return commands;
}

std::string words(const std::vector<Entry> &entries, const char *prefix) {
  std::string text;
  for (const Entry &entry : entries)
    text += (text.empty() ? "" : " ") + (prefix + entry.name);
  return text;
}

std::string bash(const std::vector<Entry> &commands, const std::vector<Entry> &options) {
  std::string text = "# nereid completion bash >> ~/.bashrc\n_nereid() {\n"
                     "  local word=${COMP_WORDS[COMP_CWORD]} words\n"
                     "  if [ $COMP_CWORD = 1 ]; then words='" +
                     words(commands, "") + ' ' + words(options, "--") +
                     "'\n  else case ${COMP_WORDS[1]} in\n";
  for (const Entry &command : commands)
    text += "    " + command.name + ") words='" + words(command.options, "--") + "' ;;\n";
  // Colons part words for readline, which then replaces only what stands behind the last one.
  return text + "  esac; fi\n"
                "  local whole=${COMP_LINE:0:COMP_POINT}\n  whole=${whole##*[[:space:]]}\n"
                "  if [ $COMP_CWORD = 1 ] || [[ $word == -* ]]; then\n"
                "    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
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
  for (const Entry &entry : entries) {
    std::string meaning = entry.meaning;
    for (size_t at = 0; (at = meaning.find(':', at)) != std::string::npos; at += 2)
      meaning.insert(at, "\\");
    text += " '" + (prefix + entry.name) + ':' + meaning + '\'';
  }
  return text;
}

std::string zsh(const std::vector<Entry> &commands, const std::vector<Entry> &options) {
  std::string text =
      "#compdef nereid\n# nereid completion zsh > \"${fpath[1]}/_nereid\"\n_nereid() {\n"
      "  local -a entries\n  if (( CURRENT == 2 )); then\n    entries=(" +
      zshList(commands, "") + zshList(options, "--") +
      ")\n    _describe command entries\n    return\n  fi\n  case $words[2] in\n";
  for (const Entry &command : commands)
    text += "    " + command.name + ") entries=(" + zshList(command.options, "--") + ") ;;\n";
  return text +
         "  esac\n  if [[ $PREFIX == -* ]]; then _describe option entries\n"
         "  elif compset -P 1 '*::'; then\n"
         "    compadd -- ${(f)\"$(nereid kernels ${(Q)IPREFIX%::} 2>/dev/null)\"}\n"
         "  else _files; fi\n}\n"
         "compdef _nereid nereid\n";
}

std::string fish(const std::vector<Entry> &commands, const std::vector<Entry> &options) {
  std::string text = "# nereid completion fish > ~/.config/fish/completions/nereid.fish\n";
  for (const Entry &option : options)
    text += "complete -c nereid -n __fish_use_subcommand -l " + option.name + " -d '" +
            option.meaning + "'\n";
  for (const Entry &command : commands) {
    text += "complete -c nereid -n __fish_use_subcommand -a " + command.name + " -d '" +
            command.meaning + "'\n";
    for (const Entry &option : command.options)
      text += "complete -c nereid -n '__fish_seen_subcommand_from " + command.name + "' -l " +
              option.name + " -d '" + option.meaning + "'\n";
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

void defineCompletionCommand(CLI::App &command) {
  auto shell = std::make_shared<std::string>();
  command.add_option("shell", *shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command.callback([shell, &command] { print(*command.get_parent(), *shell); });
}

} // namespace nereid::command
