import { ownValue } from '../../../runtime/own-value.ts'
import { type Command, command, Failure, jsonOption, print } from './command.ts'

const scripts: Readonly<Record<string, (note: string) => string>> = {
  bash: (note) => `_hearthd() {
  local line="\${COMP_WORDS[*]:1:COMP_CWORD-1}"
  COMPREPLY=($(compgen -W "$(hearthd completion next "$line")" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _hearthd hearthd # ${note}`,
  zsh: (note) => `#compdef hearthd
# ${note}
_hearthd() {
  compadd -- \${=$(hearthd completion next "\${words[2,CURRENT-1]}")}
}
compdef _hearthd hearthd`,
  fish: (note) => `# ${note}
complete -c hearthd -f -a '(hearthd completion next (string join " " -- (commandline -opc)[2..]))'`,
}

/** The command, for a program with these commands. */
export const completion = (allCommands: () => Promise<readonly Command[]>): Command =>
  command({
    usage: 'completion <shell> [line]',
    what: 'Print the completion script of a shell: bash, zsh or fish',
    options: jsonOption,
    examples: ['completion bash > ~/.local/share/bash-completion/completions/hearthd'],
    async run([shell = '', line = ''], options) {
      const usages = (await allCommands()).map(({ usage, options }) => ({
        words: usage.split(' ').filter((word) => /^\w/.test(word)),
        options: Object.keys(options).map((name) => `--${name}`),
      }))
      if (shell === 'next') {
        const words = nextWords(usages, line)
        return print(options, { words }, words.join('\n'))
      }
      const script = ownValue(scripts, shell)
      if (!script) throw new Failure('Unknown shell; use bash, zsh or fish', { name: 'usage' })
      const text = script('written by hearthd completion')
      print(options, { shell, script: text }, text)
    },
  })

interface Usage {
  words: string[]
  options: string[]
}

/** The words that can follow a line: the rest of a command, or its options. */
function nextWords(usages: readonly Usage[], line: string): string[] {
  const typed = line.split(/\s+/).filter(Boolean)
  const matching = usages.filter(({ words }) => typed.every((word, at) => word === words[at]))
  const next = new Set(matching.flatMap(({ words }) => words[typed.length] ?? []))
  if (next.size > 0) return [...next].sort()
  const complete = usages.findLast(({ words }) => words.every((word, at) => word === typed[at]))
  return complete?.options ?? []
}
