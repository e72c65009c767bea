import type { DocumentCall, DocumentKind, DocumentText } from '../ports/reader.ts'

/** Bytes of a document whose text can be read. */
export const maxDocumentBytes = 25 * 1024 * 1024

const office = ['docx', 'xlsx', 'pptx', 'odt', 'ods', 'odp'] as const

const types: Record<string, DocumentKind> = {
  'application/pdf': 'pdf',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'pptx',
  'application/vnd.ms-word.document.macroenabled.12': 'docx',
  'application/vnd.ms-excel.sheet.macroenabled.12': 'xlsx',
  'application/vnd.ms-powerpoint.presentation.macroenabled.12': 'pptx',
  'application/vnd.oasis.opendocument.text': 'odt',
  'application/vnd.oasis.opendocument.spreadsheet': 'ods',
  'application/vnd.oasis.opendocument.presentation': 'odp',
  // The container of old office files and of encrypted new ones.
  'application/x-cfb': 'old',
}

/** The kind of a document, or null for any other file. Archives are recognized by their names. */
export function documentKind(mimeType: string, name: string): DocumentKind | null {
  const ending = name.slice(name.lastIndexOf('.') + 1).toLowerCase()
  if (/^application\/(?:zip|octet-stream)$/.test(mimeType)) return office.find((kind) => kind === ending) ?? null
  return types[mimeType] ?? null
}

/** The kind of a file whose type was never detected: by its name and how it begins. */
export function kindOfFile(name: string, bytes: Uint8Array): DocumentKind | null {
  const start = new TextDecoder('latin1').decode(bytes.subarray(0, 8))
  if (start.startsWith('%PDF-')) return 'pdf'
  if (start.startsWith('PK\x03\x04')) return documentKind('application/zip', name)
  return start === '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1' ? 'old' : null
}

/** The document cannot be read. The message is safe to show and follows the file's name: "it is empty". */
export class DocumentError extends Error {
  override name = 'DocumentError'
}

export interface Reading extends DocumentCall {
  /** Lets other work run; called often. Throws to stop. */
  pause(): Promise<void>
}

/** Text up to a limit. */
export class BoundedText {
  #text = ''
  readonly #max: number

  constructor(max: number) {
    this.#max = max
  }

  /** Set by the first text that does not fit. */
  get full(): boolean {
    return this.#text.length > this.#max
  }

  add(text: string): void {
    if (!this.full) this.#text += text.slice(0, this.#max + 1)
  }

  /** One mark, with an empty line before it. */
  mark(name: string): void {
    this.add(`${this.#text === '' ? '' : '\n'}[${name.replace(/\s+/g, ' ').slice(0, 200)}]\n`)
  }

  result(): DocumentText {
    const text = this.#text.slice(0, this.#max).toWellFormed().trim()
    return { text, truncated: this.full }
  }
}
