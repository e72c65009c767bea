import type { DocumentText } from '../ports/reader.ts'
import { errorMessage } from '../thrown.ts'
import { DocumentError, type Reading } from './document.ts'

/** XML as the JSON of objects. */
async function xmlAsJson(bytes: Uint8Array): Promise<DocumentText> {
  const { parseXml } = await import('./xml-object.ts')
  try {
    return { text: JSON.stringify(parseXml(new TextDecoder().decode(bytes))), truncated: false }
  } catch (thrown) {
    throw new DocumentError(errorMessage(thrown))
  }
}

/**
 * The text of a PDF or office file: paragraphs as lines, cells separated by tabs, and marks such as `[Page 2]`,
 * `[Slide 2]` and `[Sheet Costs]`. Throws `DocumentError`.
 */
export async function documentText(reading: Reading): Promise<DocumentText> {
  if (reading.bytes.length === 0) throw new DocumentError('it is empty')
  if (reading.kind === 'old')
    throw new DocumentError(
      'it is encrypted, or in the old format of .doc, .xls and .ppt; save it without a password as .docx, .xlsx, .pptx or PDF',
    )
  if (reading.kind === 'xml') return xmlAsJson(reading.bytes)
  const document = await (reading.kind === 'pdf'
    ? (await import('./pdf.ts')).pdfText(reading)
    : (await import('./office.ts')).officeText(reading))
  if (!reading.rows && !/[^\s[\]]/.test(document.text.replace(/^\[(?:Page|Slide|Sheet) .*\]$/gm, '')))
    throw new DocumentError('it contains no text, perhaps only pictures')
  return document
}
