import { buildXml, parseXml } from '../../../runtime/documents/xml-object.ts'
import { define } from './host.ts'

define('xml', { parse: parseXml, build: buildXml })
