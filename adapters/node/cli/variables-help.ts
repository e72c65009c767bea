import { variables } from '../environment.ts'

/** Every `SERVICE_*` variable with its default, for `hearthd start --help`. */
export function variablesHelp(): string {
  const lines = Object.values(variables).flatMap(({ name, default: fallback, what }) => [
    `    ${name}${fallback === '' ? '' : `  (default ${fallback})`}`,
    `        ${what}`,
  ])
  return `  Environment\n${lines.join('\n')}\n\n`
}
