import { escapeHtml } from '../../../runtime/escape-html.ts'

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
  if (typeof piece === 'string' || typeof piece === 'number') return escapeHtml(String(piece))
  return 'markup' in piece ? piece.markup : piece.map(toMarkup).join('')
}

/** Renders text: backquotes mark `code`, blank lines separate paragraphs, everything else is escaped. */
export const prose = (text: string): Html => ({
  markup: text
    .split('\n\n')
    .map((paragraph) => `<p>${inline(paragraph)}</p>`)
    .join(''),
})

/** Renders one paragraph of such text. */
export const line = (text: string): Html => ({ markup: inline(text) })

const inline = (text: string) => escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>')
