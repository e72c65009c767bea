import { list, NotExact } from './equivalent.ts'
import type { Translated, Translating } from './translating.ts'

/** What code in n8n may use and is not available here. */
const missing = [
  ...['require(', 'fetch(', '$env', 'this.helpers', '$httpRequest', 'setTimeout('],
  ...['process.', '$parameter', '$getNodeParameter', '$evaluateExpression'],
]

/** A node with JavaScript, which gets the variables that it has in n8n. */
export function code(node: Translating): Translated {
  const { language = 'javaScript', jsCode, functionCode, mode } = node.parameters
  if (language !== 'javaScript') throw new NotExact(`code in ${language} has no equivalent`)
  const own = String(jsCode ?? functionCode ?? 'return items')
  const lines = own.split('\n').filter((line) => !line.trimStart().startsWith('//'))
  for (const name of missing)
    if (lines.some((line) => line.includes(name)))
      node.report('jsCode', `uses ${name.replace(/[(.]$/, '')}, which is not available`)
  const run = node.name === 'functionItem' ? 'each_data' : mode === 'runOnceForEachItem' ? 'each_item' : 'all_items'
  return list('code', { code: own, run })
}
