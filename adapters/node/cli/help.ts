import { variables } from '../environment.ts'
import type { Command, Option } from './command.ts'

const describeOption = ([name, { short, value, what, default: fallback }]: [string, Option]) => [
  `${short ? `-${short}, ` : ''}--${name}${value ? ` <${value}>` : ''}`,
  `${what}${fallback === undefined ? '' : ` (default ${fallback})`}`,
]

/** Pairs in two columns; a long first column has its text below. */
function columns(pairs: readonly (readonly string[])[], width: number): string {
  return pairs
    .map(([left = '', right = '']) =>
      `    ${left.length > width ? `${left}\n${' '.repeat(width + 6)}${right}` : `${left.padEnd(width)}  ${right}`}`.trimEnd(),
    )
    .join('\n')
}

const section = (title: string, text: string) => (text === '' ? '' : `\n  ${title}\n${text}\n`)

export function helpOf({ usage, what, options, examples = [], notes }: Command): string {
  const entries = Object.entries({ ...options, help: { short: 'h', what: 'Show this help' } })
  return [
    section('Description', `    ${what}`),
    section('Usage', `    hearthd ${usage} [options]`),
    section('Options', columns(entries.map(describeOption), 34)),
    section(
      'Examples',
      examples
        .map((example) => `    ${/^(hearthd|echo|git)/.test(example) ? example : `hearthd ${example}`}`)
        .join('\n'),
    ),
    section('Notes', notes ? `    ${notes}` : ''),
    usage === 'start' ? section('Environment', variablesHelp()) : '',
    '\n',
  ].join('')
}

/** The commands of a thing. */
export const groupHelp = (word: string, commands: readonly { usage: string; what: string }[]): string =>
  [
    section('Usage', `    hearthd ${word} <command> [options]`),
    section(
      'Commands',
      columns(
        commands.map(({ usage, what }) => [usage, what]),
        46,
      ),
    ),
    `\n  hearthd ${word} <command> --help shows the options\n\n`,
  ].join('')

/** All commands: those that are more than a call of the API, then the things with their verbs. */
export function overview(
  commands: readonly { usage: string; what: string }[],
  things: ReadonlyMap<string, readonly string[]>,
): string {
  const pairs = [...things].map(([thing, verbs]) => [thing, verbs.join(' ')] as const)
  return [
    section('Usage', '    hearthd <command> [options]'),
    section(
      'Commands',
      columns(
        commands.map(({ usage, what }) => [usage, what]),
        40,
      ),
    ),
    section('Things, and what can be done with them', columns(pairs, 16)),
    '\n  hearthd <thing> --help lists its commands, hearthd <command> --help its options\n\n',
  ].join('')
}

const variablesHelp = () =>
  variables
    .flatMap(({ name, default: fallback, what }) => [
      `    ${name}${fallback === '' ? '' : `  (default ${fallback})`}`,
      `        ${what}`,
    ])
    .join('\n')
