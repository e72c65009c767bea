import type { DocumentText } from '../ports/reader.ts'
import { BoundedText, DocumentError, type Reading } from './document.ts'

const maxPages = 1_000

/** One run of text on a page; `transform[5]` is its distance from the bottom of the page. */
interface Run {
  str: string
  hasEOL: boolean
  height: number
  transform: number[]
}

export async function pdfText({ bytes, max_characters, pause }: Reading): Promise<DocumentText> {
  const { getDocumentProxy } = await import('unpdf')
  const options = { isEvalSupported: false, stopAtErrors: false, useWasm: false, verbosity: 0 }
  const document = await getDocumentProxy(new Uint8Array(bytes), options).catch(explain)
  const text = new BoundedText(max_characters)
  try {
    const pages = Math.min(document.numPages, maxPages)
    for (let number = 1; number <= pages && !text.full; number += 1) {
      await pause()
      text.mark(`Page ${number}`)
      const page = await document.getPage(number).catch(explain)
      const { items } = await page.getTextContent().catch(explain)
      text.add(pageText(items.filter((item): item is (typeof items)[number] & Run => 'str' in item)))
      page.cleanup()
    }
    if (document.numPages > maxPages) text.add(`\n[only the first ${maxPages} pages were read]`)
    return text.result()
  } finally {
    await document.loadingTask.destroy()
  }
}

/** Lines as on the page; a gap of more than a line's height begins a new paragraph. */
function pageText(runs: readonly Run[]): string {
  const parts: string[] = []
  let line: number | null = null
  for (const { str, hasEOL, height, transform } of runs) {
    const [, , , , , bottom = 0] = transform
    if (str.trim() !== '') {
      if (line !== null && line - bottom > height * 2) parts.push('\n')
      line = bottom
    }
    parts.push(str, hasEOL ? '\n' : '')
  }
  return `${parts.join('')}\n`
}

function explain(thrown: unknown): never {
  if (thrown instanceof Error && thrown.name === 'PasswordException')
    throw new DocumentError('it is encrypted; save it without a password')
  throw new DocumentError('it is damaged and cannot be read as PDF')
}
