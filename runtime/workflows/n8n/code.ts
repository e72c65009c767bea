import { NotExact, severalItems } from './script.ts'
import type { Translated, Translating } from './translating.ts'

/** Defines the variables of n8n for the code. While a loop runs, its items are the current ones. */
const codeBefore = (
  loop: string | undefined,
) => `const asItems = (value) => (Array.isArray(value) ? value : [value]).map((json) => ({ json: json ?? {} }));
const itemsOf = (name) => {
  if (name === ${JSON.stringify(loop)} && input.item !== null) return asItems(input.item);
  if (!input.nodes[name]) throw new Error("Node '" + name + "' hasn't been executed");
  return asItems(input.nodes[name].output);
};
let position = 0;
const paired = (name, list = itemsOf(name)) => {
  if (list.length === all.length) return list[position];
  if (list.length > 1 && input.item !== null) throw new Error("Node '" + name + "' ${severalItems}");
  return list[0];
};
const $ = (name, list = itemsOf(name)) => ({ first: () => list[0], last: () => list.at(-1), get item() { return paired(name); }, all: () => list });
const $node = new Proxy({}, { get: (_, name) => paired(name) });
const plain = (one) => (one && typeof one === 'object' && 'json' in one ? one.json : one);
const all = asItems(input.input);
const $items = (name) => (name === undefined ? all : itemsOf(name));
const $input = { all: () => all, first: () => all[0], last: () => all.at(-1), item: all[0] };
`

// The code is in a block of its own, because it may declare a variable with the name of a parameter.

/** Code that runs once, and returns its items as one value or a list. */
const codeForAll = (own: string, empty: string) => `const returned = await (async (items, $json) => {{
${own}
}})(all, all[0]?.json);
if (!Array.isArray(returned)) return plain(returned);
if (returned.length === 0) return ${empty};
return returned.length === 1 ? plain(returned[0]) : returned.map(plain);`

/** Code that runs once for each item. */
const codeForEach = (own: string) => `const returned = [];
for (const [$itemIndex, one] of all.entries()) {
$input.item = one;
position = $itemIndex;
returned.push(plain(await (async (item, $json) => {{
${own}
}})(one.json, one.json)));
}
return returned.length === 1 ? returned[0] : returned;`

/** What code in n8n may use and is not available here. */
const missing = [
  ...['require(', 'fetch(', '$env', 'getWorkflowStaticData', 'this.helpers', '$httpRequest', 'DateTime.'],
  ...['Buffer.', '$now', '$today', '$jmespath', '$item(', '$binary', '.binary', '$workflow', '$execution'],
  ...['$vars', '$prevNode', '$parameter', '$getNodeParameter', '$runIndex', '$evaluateExpression'],
  ...['setTimeout(', 'process.', 'luxon', 'crypto.'],
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
  const loops = [...node.named].filter(([, { items }]) => items === 'loop' || items === 'loops')
  const loop = loops.find(([, { items }]) => items === 'loop')?.[0]
  for (const [name] of loops)
    if (name !== loop && (own.includes(`'${name}'`) || own.includes(`"${name}"`)))
      node.report('jsCode', `may name ${name}, which has no items while it runs; use input.item`)
  const isEach = node.name === 'functionItem' || mode === 'runOnceForEachItem'
  return {
    type: 'code',
    params: {
      code:
        codeBefore(loop) + (isEach ? codeForEach(own) : codeForAll(own, node.always_output ? '{}' : '[]')),
      input: '={"input": input, "nodes": nodes, "item": item}',
    },
  }
}
