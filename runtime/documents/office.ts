import type { DocumentText } from '../ports/reader.ts'
import { needPart, pathsInOrder, type Target, unpack } from './archive.ts'
import { BoundedText, DocumentError, type Reading } from './document.ts'
import { sheetRows, sheetsText } from './sheets.ts'
import { attribute, readXml, type XmlHandler } from './xml.ts'

/** The parts of each kind that are read. */
const partNames: Record<string, RegExp> = {
  docx: /^word\/(document\d*|footnotes|endnotes)\.xml$/,
  pptx: /^ppt\/(presentation\.xml|_rels\/presentation\.xml\.rels|slides\/[^/]+\.xml)$/,
  xlsx: /^xl\/(workbook\.xml|_rels\/workbook\.xml\.rels|sharedStrings\.xml|styles\.xml|worksheets\/[^/]+\.xml)$/,
  odf: /^(content\.xml|META-INF\/manifest\.xml)$/,
}

export async function officeText(reading: Reading): Promise<DocumentText> {
  const kind = reading.kind.startsWith('od') ? 'odf' : reading.kind
  const parts = await unpack(reading, partNames[kind] ?? /^$/)
  const text = new BoundedText(reading.max_characters)
  const target: Target = { parts, text, pause: reading.pause }
  if (kind === 'docx') await wordText(target)
  else if (kind === 'pptx') await slidesText(target)
  else if (reading.rows) await sheetRows(target, reading.rows)
  else if (kind === 'xlsx') await sheetsText(target)
  else await openDocumentText(target)
  return text.result()
}

async function wordText({ parts, text, pause }: Target): Promise<void> {
  await readXml(needPart(parts, /^word\/document/), new Paragraphs(text, microsoft), pause)
  for (const name of ['footnotes', 'endnotes'])
    await readXml(parts.get(`word/${name}.xml`), new Paragraphs(text, microsoft), pause)
}

async function slidesText(target: Target): Promise<void> {
  const { parts, text, pause } = target
  needPart(parts, /^ppt\/presentation/)
  const paths = await pathsInOrder(target, 'ppt/presentation.xml', 'sldId')
  for (const [index, { path }] of paths.entries()) {
    if (text.full) return
    text.mark(`Slide ${index + 1}`)
    await readXml(parts.get(path), new Paragraphs(text, microsoft), pause)
  }
}

async function openDocumentText({ parts, text, pause }: Target): Promise<void> {
  const manifest = new TextDecoder().decode(parts.get('META-INF/manifest.xml'))
  if (manifest.includes('encryption-data')) throw new DocumentError('it is encrypted; save it without a password')
  await readXml(needPart(parts, /^content/), new Paragraphs(text, openDocument), pause)
}

/** What an element stands for; the text of a document is in elements of the role `text`. */
type Role = 'paragraph' | 'text' | 'tab' | 'space' | 'break' | 'cell' | 'row' | 'page' | 'sheet' | 'skipped'
type Roles = Record<string, Role | Role[]>

/** WordprocessingML and DrawingML. Properties define tab stops with elements that are called as tabs are. */
const microsoft: Roles = {
  p: 'paragraph',
  t: 'text',
  tab: 'tab',
  br: 'break',
  cr: 'break',
  tc: 'cell',
  tr: 'row',
  pPr: 'skipped',
  rPr: 'skipped',
  // A copy of what precedes it, for old programs.
  Fallback: 'skipped',
}

const openDocument: Roles = {
  p: ['paragraph', 'text'],
  h: ['paragraph', 'text'],
  tab: 'tab',
  s: 'space',
  'line-break': 'break',
  'table-cell': 'cell',
  'covered-table-cell': 'cell',
  'table-row': 'row',
  page: 'page',
  table: 'sheet',
  'tracked-changes': 'skipped',
  annotation: 'skipped',
}

/** Cells of one row, and repetitions of one cell; a row of a sheet may claim thousands of empty ones. */
const maxCells = 1_000

/** Writes paragraphs as lines, and the rows of tables as lines with tabs. */
class Paragraphs implements XmlHandler {
  readonly #text: BoundedText
  readonly #roles: Roles
  /** Open elements by role. */
  readonly #open: Partial<Record<Role, number>> = {}
  #line = ''
  #cells: string[] = []
  #repeated = 1
  #pages = 0

  constructor(text: BoundedText, roles: Roles) {
    this.#text = text
    this.#roles = roles
  }

  #rolesOf(name: string): Role[] {
    return [this.#roles[name] ?? []].flat()
  }

  #in(role: Role): boolean {
    return (this.#open[role] ?? 0) > 0
  }

  open(name: string, attributes: Record<string, string>): void {
    for (const role of this.#rolesOf(name)) {
      this.#open[role] = (this.#open[role] ?? 0) + 1
      if (!this.#in('skipped')) this.#begin(role, attributes)
    }
  }

  #begin(role: Role, attributes: Record<string, string>): void {
    if (role === 'tab') this.#line += '\t'
    else if (role === 'space') this.#line += ' '.repeat(bounded(attribute(attributes, 'c')))
    else if (role === 'break') this.#line += this.#in('cell') ? ' ' : '\n'
    else if (role === 'cell') this.#repeated = bounded(attribute(attributes, 'number-columns-repeated'))
    else if (role === 'page') {
      this.#pages += 1
      this.#text.mark(`Slide ${this.#pages}`)
    } else if (role === 'sheet' && !this.#in('page') && this.#open.sheet === 1) {
      const name = attribute(attributes, 'name')
      if (name) this.#text.mark(`Sheet ${name}`)
    }
  }

  text(text: string): void {
    if (this.#in('text') && !this.#in('skipped')) this.#line += text
  }

  close(name: string): void {
    for (const role of this.#rolesOf(name)) {
      if (!this.#in('skipped')) this.#end(role)
      this.#open[role] = (this.#open[role] ?? 1) - 1
    }
  }

  /** A table inside a cell is a part of that cell's text. */
  #end(role: Role): void {
    if (role === 'paragraph' && this.#in('cell')) this.#line += ' '
    else if (role === 'paragraph') this.#write(this.#line)
    else if (role === 'cell' && this.#open.cell === 1) {
      const cell = this.#line.replace(/\s+/g, ' ').trim()
      for (let count = 0; count < (cell ? this.#repeated : 1) && this.#cells.length < maxCells; count += 1)
        this.#cells.push(cell)
      this.#line = ''
    } else if (role === 'row' && this.#open.row === 1) {
      this.#write(this.#cells.join('\t').trimEnd())
      this.#cells = []
    }
  }

  #write(line: string): void {
    if (line.trim() !== '') this.#text.add(`${line}\n`)
    this.#line = ''
  }

  done(): boolean {
    return this.#text.full
  }
}

const bounded = (count = '1'): number => Math.min(Math.max(Math.trunc(Number(count)) || 1, 1), maxCells)
