import { strToU8, zipSync } from 'fflate'

const xml = (body: string) => strToU8(`<?xml version="1.0" encoding="UTF-8"?>${body}`)

/** An office file with these parts. */
export const office = (parts: Record<string, string>): Uint8Array =>
  zipSync(Object.fromEntries(Object.entries(parts).map(([path, body]) => [path, xml(body)])))

export const paragraph = (text: string) => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`

export const docx = (body: string): Uint8Array =>
  office({
    '[Content_Types].xml': `<Types><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`,
    'word/document.xml': `<w:document xmlns:w="w"><w:body>${body}</w:body></w:document>`,
  })

const relations = (targets: Record<string, string>) =>
  `<Relationships>${Object.entries(targets)
    .map(([id, target]) => `<Relationship Id="${id}" Target="${target}"/>`)
    .join('')}</Relationships>`

export const xlsx = (): Uint8Array =>
  office({
    '[Content_Types].xml': `<Types><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/></Types>`,
    'xl/workbook.xml': `<workbook xmlns:r="r"><sheets><sheet name="Costs" sheetId="2" r:id="rId2"/><sheet name="Notes" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relations({
      rId1: 'worksheets/sheet1.xml',
      rId2: '/xl/worksheets/sheet2.xml',
    }),
    'xl/styles.xml': `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="dd/mm/yyyy hh:mm"/><numFmt numFmtId="165" formatCode="0.00&quot;days&quot;"/></numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="165"/></cellXfs></styleSheet>`,
    'xl/sharedStrings.xml': `<sst><si><t>Item</t></si><si><r><t>Rent </t></r><r><t>&amp; heating</t></r><rPh><t>hint</t></rPh></si></sst>`,
    'xl/worksheets/sheet1.xml': `<worksheet><sheetData><row><c t="inlineStr"><is><t>call the bank</t></is></c></row></sheetData></worksheet>`,
    'xl/worksheets/sheet2.xml': `<worksheet><sheetData><row r="1"><c r="A1" t="s"><v>0</v></c><c r="C1" t="str"><f>1</f><v>Due</v></c></row><row r="2"/><row r="3"><c r="A3" t="s"><v>1</v></c><c r="B3"><v>950.5</v></c><c r="C3" s="1"><v>46053</v></c><c r="D3" s="2"><v>46053.604166666664</v></c><c r="E3" s="3"><v>3</v></c><c r="F3" t="b"><v>1</v></c></row></sheetData></worksheet>`,
  })

export const pptx = (): Uint8Array =>
  office({
    '[Content_Types].xml': `<Types><Override PartName="/ppt/presentation.xml" ContentType="application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml"/></Types>`,
    'ppt/presentation.xml': `<p:presentation xmlns:r="r"><p:sldIdLst><p:sldId id="256" r:id="rId9"/><p:sldId id="257" r:id="rId1"/></p:sldIdLst></p:presentation>`,
    'ppt/_rels/presentation.xml.rels': relations({ rId1: 'slides/slide1.xml', rId9: 'slides/slide2.xml' }),
    'ppt/slides/slide1.xml': `<p:sld><a:p><a:r><a:t>Thank you</a:t></a:r></a:p></p:sld>`,
    'ppt/slides/slide2.xml': `<p:sld><a:p><a:r><a:t>Plan for </a:t></a:r><a:r><a:t>spring</a:t></a:r></a:p><a:tbl><a:tr><a:tc><a:p><a:r><a:t>May</a:t></a:r></a:p></a:tc><a:tc><a:p><a:r><a:t>sow</a:t></a:r></a:p></a:tc></a:tr></a:tbl></p:sld>`,
  })

export function openDocument(kind: 'text' | 'spreadsheet' | 'presentation', body: string): Uint8Array {
  const mimetype = `application/vnd.oasis.opendocument.${kind}`
  return zipSync({
    mimetype: [strToU8(mimetype), { level: 0 }],
    'content.xml': xml(`<office:document-content><office:body>${body}</office:body></office:document-content>`),
    'META-INF/manifest.xml': xml('<manifest:manifest/>'),
  })
}

/** A PDF whose pages have these lines. */
export function pdf(pages: readonly (readonly string[])[], extra: { trailer?: string } = {}): Uint8Array {
  const objects: string[] = []
  const kids = pages.map((_, index) => `${4 + index * 2} 0 R`).join(' ')
  objects.push('<< /Type /Catalog /Pages 2 0 R >>')
  objects.push(`<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`)
  objects.push('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>')
  for (const [index, lines] of pages.entries()) {
    const shown = lines.map((line, row) => `1 0 0 1 72 ${720 - row * 14} Tm (${line}) Tj`).join(' ')
    const content = `BT /F1 12 Tf ${shown} ET`
    objects.push(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents ${5 + index * 2} 0 R >>`,
      `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    )
  }
  let text = '%PDF-1.4\n'
  const offsets = objects.map((object, index) => {
    const at = text.length
    text += `${index + 1} 0 obj\n${object}\nendobj\n`
    return `${String(at).padStart(10, '0')} 00000 n \n`
  })
  const start = text.length
  text += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${offsets.join('')}`
  text += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R ${extra.trailer ?? ''} >>\nstartxref\n${start}\n%%EOF\n`
  return strToU8(text, true)
}

/** Its user password is not empty. */
export const encryptedPdf = (): Uint8Array =>
  pdf([['secret']], {
    trailer: `/ID [<00112233445566778899aabbccddeeff> <00112233445566778899aabbccddeeff>] /Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <${'ab'.repeat(32)}> /U <${'cd'.repeat(32)}> >>`,
  })
