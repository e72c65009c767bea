/** Markup that is safe to insert into a page. */
export interface Html {
  readonly markup: string
}

type Piece = string | number | Html | null | false | undefined | readonly Piece[]

/** A template tag that escapes values unless they are `Markup`. */
export const html = (texts: TemplateStringsArray, ...pieces: Piece[]): Html => ({
  markup: texts.map((text, index) => text + toMarkup(pieces[index])).join(''),
})

function toMarkup(piece: Piece): string {
  if (piece === null || piece === undefined || piece === false) return ''
  if (typeof piece === 'string' || typeof piece === 'number') return escapeText(String(piece))
  return 'markup' in piece ? piece.markup : piece.map(toMarkup).join('')
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escapeText = (text: string) => text.replace(/[&<>"']/g, (character) => entities[character] ?? character)

/** Renders text: backquotes mark `code`, blank lines separate paragraphs, everything else is escaped. */
export const prose = (text: string): Html => ({
  markup: text
    .split('\n\n')
    .map((paragraph) => `<p>${inline(paragraph)}</p>`)
    .join(''),
})

/** Renders one paragraph of such text. */
export const line = (text: string): Html => ({ markup: inline(text) })

const inline = (text: string) => escapeText(text).replace(/`([^`]+)`/g, '<code>$1</code>')
