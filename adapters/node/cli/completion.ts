import { ownValue } from '../../../runtime/own-value.ts'
import { type Command, command, Failure, type Found, jsonOption, print } from './command.ts'

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

/** How the commands are found. */
interface Registry {
  find(line: readonly string[]): Promise<Found>
  firstWords(): Promise<string[]>
}

/** The command, for a program with these commands. */
export const completion = (registry: Registry): Command =>
  command({
    usage: 'completion <shell> [line]',
    what: 'Print the completion script of a shell: bash, zsh or fish',
    options: jsonOption,
    examples: ['completion bash > ~/.local/share/bash-completion/completions/hearthd'],
    async run([shell = '', line = ''], options) {
      if (shell === 'next') {
        const words = await nextWords(registry, line.split(/\s+/).filter(Boolean))
        return print(options, { words }, words.join('\n'))
      }
      const script = ownValue(scripts, shell)
      if (!script) throw new Failure('Unknown shell; use bash, zsh or fish', { name: 'usage' })
      const text = script('written by hearthd completion')
      print(options, { shell, script: text }, text)
    },
  })

/** The words that can follow a line: the rest of a command, or its options. */
async function nextWords({ find, firstWords }: Registry, typed: readonly string[]): Promise<string[]> {
  if (typed.length === 0) return firstWords()
  const { entry, related } = await find(typed)
  const first = related[0]?.words[0] ?? ''
  const line = [first, ...typed.slice(1)]
  const matching = related.map((entry) => entry.words).filter((words) => line.every((word, at) => word === words[at]))
  const next = [...new Set(matching.flatMap((words) => words[line.length] ?? []))].sort()
  if (next.length > 0 || !entry) return next
  return Object.keys((await entry.load()).options).map((name) => `--${name}`)
}
