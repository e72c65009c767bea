import { jsonOf, type NodeIds, NotExact, translateScript } from './script.ts'

/** Stands for a text whose expression could not be translated. The node fails when it runs. */
export const untranslated = (original: string): string =>
  `=$error(${JSON.stringify(`Rewrite this expression of n8n: ${original.slice(0, 2_000)}`)})`

/** Escapes `{{` and a leading `=`, so that the text contains no expression. */
export const plainText = (text: string): string =>
  text.replaceAll('{{', '{{ "{{" }}').replace(/^=/, '{{ "=" }}')

/** A text of n8n in parts: expressions are those at odd positions. Throws `NotExact` if one has no end. */
function piecesOf(text: string): string[] {
  const [first = '', ...rest] = text.split('{{')
  const pieces = rest.flatMap((piece) => {
    const end = piece.indexOf('}}')
    if (end < 0) throw new NotExact('an expression has no end')
    return [piece.slice(0, end), piece.slice(end + 2)]
  })
  return [first, ...pieces]
}

/** A parameter of n8n: literal text, or after `=` text with `{{ expressions }}`. Throws `NotExact`. */
export function translateText(text: string, ids: NodeIds): string {
  if (!text.startsWith('=')) return plainText(text)
  const pieces = piecesOf(text.slice(1))
  const [before, script = '', after] = pieces
  if (pieces.length === 3 && before === '' && after === '') return `=${translateScript(script, ids)}`
  return template(pieces, ids)
}

/** A text from its parts: expressions are those at odd positions. */
const template = (pieces: readonly string[], ids: NodeIds): string =>
  pieces
    .map((piece, index) =>
      index % 2 === 1
        ? `{{ ${translateScript(piece, ids)} }}`
        : index === 0
          ? plainText(piece)
          : piece.replaceAll('{{', '{{ "{{" }}'),
    )
    .join('')

/**
 * A JSON text of n8n as a value. Expressions inside texts are parts of these; elsewhere an expression must be a number,
 * a boolean or `JSON.stringify(value)`. Undefined if it is not JSON. Calls `refuse` for what is not exact.
 */
export function translateJson(
  given: string,
  ids: NodeIds,
  refuse: (path: string, message: string, original: string) => void,
): unknown {
  const isTemplate = given.startsWith('=')
  const pieces = isTemplate ? piecesOf(given.slice(1)) : [given]
  let inText = false
  const json = pieces.map((piece, index) => {
    if (index % 2 === 1) return inText ? `\uE000${index}\uE001` : `"\uE002${index}\uE001"`
    for (const [found] of piece.matchAll(/\\.|"/g)) if (found === '"') inText = !inText
    return piece
  })
  const text = (value: string, path: string): string => {
    const [, whole] = /^\uE002(\d+)\uE001$/.exec(value) ?? []
    const original = value.replace(/[\uE000\uE002](\d+)\uE001/g, (_, at) => `{{${pieces[Number(at)]}}}`)
    try {
      if (whole !== undefined) return `=${jsonOf(pieces[Number(whole)] ?? '', ids)}`
      const parts = value.split(/\uE000(\d+)\uE001/)
      const own = parts.map((part, index) => (index % 2 === 1 ? (pieces[Number(part)] ?? '') : part))
      return template(own, ids)
    } catch (thrown) {
      if (!(thrown instanceof NotExact)) throw thrown
      refuse(path, thrown.message, original)
      return untranslated(original)
    }
  }
  const walk = (value: unknown, path: string): unknown => {
    if (typeof value === 'string') return text(value, path)
    if (Array.isArray(value)) return value.map((one, index) => walk(one, `${path}.${index}`))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([name, one]) => {
        if (/[\uE000\uE002]/.test(name)) throw new NotExact('a name that is an expression has no equivalent')
        return [name, walk(one, path === '' ? name : `${path}.${name}`)]
      }),
    )
  }
  let parsed: unknown
  try {
    parsed = JSON.parse(json.join(''))
  } catch {
    return undefined
  }
  return walk(parsed, '')
}

/** A value for an expression: a literal of JSON, or what its expression says. */
export function asExpression(given: unknown, ids: NodeIds): string {
  if (typeof given !== 'string' || !given.startsWith('=')) return JSON.stringify(given ?? null)
  const text = translateText(given, ids)
  if (text.startsWith('=')) return text.slice(1)
  const parts = piecesOf(given.slice(1)).map((piece, index) =>
    index % 2 === 1 ? `(${translateScript(piece, ids)})` : JSON.stringify(piece),
  )
  const joined = parts.filter((part) => part !== '""')
  return joined.length === 0 ? '""' : joined.length === 1 ? `$string(${joined[0]})` : joined.join(' & ')
}
