import { buildXml, parseXml } from '../../../runtime/workflows/formats/xml.ts'
import { define } from './host.ts'

define('xml', { parse: parseXml, build: buildXml })
