import { XMLBuilder, XMLParser } from 'fast-xml-parser'
import { define } from './host.ts'

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

define('xml', {
  /** All values are texts; attributes are members, too. */
  parse: (text: string): unknown => parser.parse(text, true),
  /** An object with one member is its own root. */
  build(value: object, { headless = false, root = 'root' } = {}): string {
    const own = Object.keys(value).length === 1 ? value : { [root]: value }
    return (headless ? '' : head) + builder.build(own).trimEnd()
  },
})
