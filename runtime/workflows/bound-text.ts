/** Encloses each value; neither JSON nor a text that people write contains it. */
const mark = '\u0001'

/** Texts and, at odd positions, values as one text that `boundParts` takes apart. A value alone is the text itself. */
export function boundText(parts: readonly unknown[]): unknown {
  const [before, value, after, ...more] = parts
  if (before === '' && after === '' && more.length === 0)
    return typeof value === 'string' ? value.replaceAll(mark, '') : value
  return parts
    .map((part, index) =>
      index % 2 === 0 ? String(part).replaceAll(mark, '') : mark + JSON.stringify(part ?? null) + mark,
    )
    .join('')
}

/** The texts and values of a bound text. */
export const boundParts = (text: string): unknown[] =>
  text.split(mark).map((part, index) => (index % 2 === 0 ? part : (JSON.parse(part) as unknown)))
