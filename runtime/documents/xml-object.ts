import { XMLBuilder, XMLParser } from 'fast-xml-parser'

/** XML as objects: attributes are members, too, and the text of an element with attributes is `_`. All values are texts. */
const names = { attributeNamePrefix: '', textNodeName: '_' }

const parser = new XMLParser({
  ...names,
  ignoreAttributes: false,
  ignoreDeclaration: true,
  ignorePiTags: true,
  parseTagValue: false,
})
const builder = new XMLBuilder({ ...names, format: true, indentBy: '  ', suppressEmptyNode: true })
const head = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'

/** Throws an `Error` that says where the text is not well-formed. */
export const parseXml = (text: string): unknown => parser.parse(text, true)

/** An object with one member is its own root. */
export function buildXml(value: object, { headless = false, root = 'root' } = {}): string {
  const own = Object.keys(value).length === 1 ? value : { [root]: value }
  return (headless ? '' : head) + builder.build(own).trimEnd()
}
