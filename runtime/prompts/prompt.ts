import texts from './prompts.json' with { type: 'json' }

export type PromptName = keyof typeof texts

/**
 * A prompt with its placeholders filled in. A line whose placeholders are all empty is left out, and so is the title of a
 * section without lines.
 */
export function prompt(name: PromptName, values: Readonly<Record<string, string>> = {}): string {
  const value = (one: string): string => {
    const given = values[one]
    if (given === undefined) throw new Error(`the prompt ${name} needs ${one}`)
    return given
  }
  const kept = texts[name].split('\n').filter((line) => {
    const names = [...line.matchAll(placeholder)].map(([, one = '']) => one)
    return names.length === 0 || names.some((one) => value(one) !== '')
  })
  const isTitle = (line: string | undefined) => line?.startsWith('# ')
  return kept
    .filter((line, index) => {
      const next = kept.slice(index + 1).find((later) => later !== '')
      return !isTitle(line) || (next !== undefined && !isTitle(next))
    })
    .filter((line, index, lines) => line !== '' || (index > 0 && lines[index - 1] !== ''))
    .join('\n')
    .replace(placeholder, (_, one: string) => value(one))
    .trim()
}

const placeholder = /\{\{(\w+)\}\}/g
