// Runs inside a page; see kinds.ts.

declare function rowText(element: Element, crowd: ReadonlyMap<Element, number>): string
declare function crowdOf(elements: readonly Element[]): Map<Element, number>
declare function kindOf(element: Element): string
declare function statesOf(element: Element): string[]
declare function labelOf(element: Element): string
declare function textIn(node: Node, most: number): string
declare function canScroll(element: Element): boolean
declare function isInViewport(element: Element): boolean

/** One element as the page tells it. */
export interface Seen {
  kind: string
  label: string
  states: string[]
  in_viewport: boolean
  /** What stands around it, where others look the same. */
  row: string
}

/** The same without its names, which thousands would repeat on their way: kind, label, states, in view, row. */
export type SeenRow = readonly [string, string, readonly string[], boolean, string]

function asRow({ kind, label, states, in_viewport, row }: Seen): SeenRow {
  return [kind, label, states, in_viewport, row]
}

function asText(element: Element): Seen {
  return {
    kind: 'text',
    label: textIn(element, 200),
    states: [],
    in_viewport: isInViewport(element),
    row: '',
  }
}

function describe(element: Element): Seen {
  const states = statesOf(element)
  if (canScroll(element) || holdsMoreText(element)) states.push('scrollable')
  return {
    kind: kindOf(element),
    label: labelOf(element),
    states,
    in_viewport: isInViewport(element),
    row: '',
  }
}

/** A text that is longer than its field, such as one that is to be read to the end before it is agreed to. */
function holdsMoreText(element: Element): boolean {
  return element instanceof HTMLTextAreaElement && element.scrollHeight > element.clientHeight + 4
}

/**
 * What looks the same has the same name. Of what has no words only the first counts: where it stands tells a program
 * from its neighbour, but no reader, and its other classes come and go with its state.
 */
function groupOf(label: string): string {
  const hint = / ?at -?\d+,-?\d+ size \d+x\d+$/
  return label.includes(' size ') && hint.test(label) ? (label.replace(hint, '').split(' ')[0] ?? '') : label
}

/** Gives what looks the same the words around it. */
function addRows(nodes: readonly Element[], seen: readonly Seen[]): void {
  const same = new Map<string, number[]>()
  seen.forEach(({ kind, label }, at) => {
    const name = `${kind} ${groupOf(label)}`
    const places = same.get(name)
    if (places) places.push(at)
    else same.set(name, [at])
  })
  for (const places of same.values()) {
    if (places.length < 2) continue
    const crowd = crowdOf(places.flatMap((at) => nodes[at] ?? []))
    for (const at of places) {
      const [node, one] = [nodes[at], seen[at]]
      const around = node ? rowText(node, crowd) : ''
      if (one && around !== one.label) one.row = around
    }
  }
}

const parts = [asRow, asText, describe, holdsMoreText, groupOf, addRows]

/** As text, for a page. */
export const seenSource = parts.map(String).join('\n')
