import type { NodeTypeInfo } from '../../../runtime/workflows/schema.ts'
import words from './node-words.json' with { type: 'json' }

type Kind = Pick<NodeTypeInfo, 'type' | 'title' | 'description'>

/** Without the differences between British and American spelling. */
const plain = (text: string): string => text.toLowerCase().replaceAll('z', 's')

/** What people also call a node, by type. */
const namesOf = ({ type }: Kind): string => (words as Readonly<Record<string, string>>)[type] ?? ''

/** The node types that a search finds: those with the text in the title first, then in another name, then anywhere else. */
export function searchNodes<Found extends Kind>(kinds: readonly Found[], text: string): Found[] {
  const needle = plain(text.trim())
  const parts = needle.split(/\s+/)
  const rankOf = (kind: Found): number => {
    const at = plain(kind.title).indexOf(needle)
    return at >= 0
      ? Math.min(at, 1)
      : plain(namesOf(kind))
            .split(' ')
            .some((name) => name.startsWith(needle))
        ? 2
        : 3
  }
  return kinds
    .filter((kind) => {
      const all = plain(`${kind.title} ${kind.type} ${kind.description} ${namesOf(kind)}`)
      return parts.every((part) => all.includes(part))
    })
    .toSorted((one, other) => rankOf(one) - rankOf(other))
}
