import type { Definition } from './schema.ts'

/** Where an execution begins: at the trigger that fired, else at the manual one, else at nodes that nothing leads to. */
export function entriesOf(
  definition: Definition,
  { node, trigger }: { node?: string; trigger: string },
): string[] {
  if (node !== undefined) return [node]
  const triggers = enabledTriggers(definition)
  const own = triggers.find(({ type }) => type === `trigger.${trigger}`)
  const manual = triggers.find(({ type }) => type === 'trigger.manual')
  const chosen = own ?? manual ?? triggers[0]
  return chosen ? [chosen.id] : rootsOf(definition)
}

/** Every node at which an execution may begin. */
export function allEntries(definition: Definition): string[] {
  const triggers = enabledTriggers(definition)
  return triggers.length > 0 ? triggers.map(({ id }) => id) : rootsOf(definition)
}

const enabledTriggers = ({ nodes }: Definition) =>
  nodes.filter(({ type, disabled }) => !disabled && type.startsWith('trigger.'))

function rootsOf({ nodes, edges }: Definition): string[] {
  const targets = new Set(edges.map(({ target }) => target))
  return nodes.filter(({ id, type }) => type !== 'note' && !targets.has(id)).map(({ id }) => id)
}
