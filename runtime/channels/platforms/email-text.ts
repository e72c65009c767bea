const quoteMarks = [
  /^>/,
  /^-{2,} ?(Original Message|Ursprüngliche Nachricht|Message d'origine|Mensaje original) ?-{2,}/i,
  /^_{10,}$/,
  /^(On|Am|Le|El) .{5,200}(wrote|schrieb|écrit|escribió).{0,100}:$/,
]

/** Whether earlier emails begin at this line. Mail programs break the line that names the sender. */
function isQuoteMark(lines: readonly string[], index: number): boolean {
  const line = (lines[index] ?? '').slice(0, 400)
  const next = (lines[index + 1] ?? '').slice(0, 400)
  return (
    quoteMarks.some((mark) => mark.test(line)) ||
    (quoteMarks.at(-1)?.test(`${line.trim()} ${next.trim()}`) ?? false) ||
    // Outlook repeats the headers.
    (/^(From|Von|De): /.test(line) && /^(Sent|Date|Gesendet|Datum|Envoyé|Enviado)\s?: /.test(next))
  )
}

const forwardMarks = [
  /^-{2,} ?(Forwarded message|Weitergeleitete Nachricht|Message transféré|Mensaje reenviado) ?-{2,}/i,
  /^(Begin forwarded message|Anfang der weitergeleiteten Nachricht|Début du message (transféré|réexpédié)|Inicio del mensaje reenviado)\s?:/i,
]

/** A forwarded email, and what the sender wrote above it; null if nothing is forwarded. */
export function forwardIn(text: string, isForwarded: boolean): { own: string; theirs: string } | null {
  const lines = text.replaceAll('\r\n', '\n').split('\n')
  const first = lines.findIndex(
    (line, index) =>
      forwardMarks.some((mark) => mark.test(line.slice(0, 400))) || (isForwarded && isQuoteMark(lines, index)),
  )
  if (first === -1 && !isForwarded) return null
  const begin = Math.max(first, 0)
  return { own: withoutSignature(lines.slice(0, begin)), theirs: lines.slice(begin).join('\n').trim() }
}

/** Lines that a mail program adds below the text. */
const appended =
  /^(Sent from (my|Outlook|Mail) |Get Outlook for |Von meinem .{1,60} gesendet|Envoyé de mon |Enviado desde mi )/

/** The text without the quoted earlier emails and the signature. */
export function withoutHistory(text: string): string {
  const lines = text.replaceAll('\r\n', '\n').split('\n')
  const marked = lines.map((_, index) => isQuoteMark(lines, index))
  const first = marked.indexOf(true)
  const rest = first === -1 ? [] : lines.filter((line, index) => index > first && line.trim() !== '' && !marked[index])
  const isBelow = rest.some((line) => !line.startsWith('>')) && /^>/.test(lines[first] ?? '')
  // Text below or between quotes belongs to the answer.
  const kept = first === -1 || isBelow ? lines : lines.slice(0, first)
  return withoutSignature(kept)
}

/** RFC 3676 section 4.3: a signature begins after a line of two hyphens and a space. */
function withoutSignature(lines: readonly string[]): string {
  const end = lines.indexOf('-- ')
  const kept = (end > 0 ? lines.slice(0, end) : lines).join('\n').trim()
  const last = kept.lastIndexOf('\n')
  return last > 0 && appended.test(kept.slice(last + 1)) ? kept.slice(0, last).trim() : kept
}
