import { strToU8, zipSync } from 'fflate'

/** What a cell may hold; everything else is written as text. */
export type Cell = string | number | boolean | null

const maxText = 32_767

const escaped = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: XML cannot express them
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd')

function cellXml(value: Cell): string {
  if (value === null || value === '') return '<c/>'
  if (typeof value === 'boolean') return `<c t="b"><v>${Number(value)}</v></c>`
  if (typeof value === 'number' && Number.isFinite(value)) return `<c><v>${value}</v></c>`
  return `<c t="inlineStr"><is><t xml:space="preserve">${escaped(String(value).slice(0, maxText))}</t></is></c>`
}

const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
const format = 'http://schemas.openxmlformats.org'
const main = `xmlns="${format}/spreadsheetml/2006/main"`
const type = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

/** A workbook (ECMA-376) with one sheet. Formulas are never written: a text that looks like one stays a text. */
export function workbook(rows: readonly (readonly Cell[])[], sheet: string): Uint8Array {
  const name = escaped(sheet.replace(/[\\/?*[\]:]/g, ' ').slice(0, 31)) || 'Sheet1'
  const data = rows.map((row) => `<row>${row.map(cellXml).join('')}</row>`).join('')
  const relation = (kind: string, target: string) =>
    `${declaration}<Relationships xmlns="${format}/package/2006/relationships"><Relationship Id="rId1" Type="${format}/officeDocument/2006/relationships/${kind}" Target="${target}"/></Relationships>`
  const parts = {
    '[Content_Types].xml': `${declaration}<Types xmlns="${format}/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${type}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${type}.worksheet+xml"/></Types>`,
    '_rels/.rels': relation('officeDocument', 'xl/workbook.xml'),
    'xl/workbook.xml': `${declaration}<workbook ${main} xmlns:r="${format}/officeDocument/2006/relationships"><sheets><sheet name="${name}" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relation('worksheet', 'worksheets/sheet1.xml'),
    'xl/worksheets/sheet1.xml': `${declaration}<worksheet ${main}><sheetData>${data}</sheetData></worksheet>`,
  }
  return zipSync(Object.fromEntries(Object.entries(parts).map(([path, text]) => [path, strToU8(text)])))
}
