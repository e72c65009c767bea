import type { RecallPart } from '../../../../runtime/chat/schema.ts'

/** While the answer is made it is not known what it will rest on. */
export function recalledLabel(episodes: RecallPart['episodes']): string {
  const used = episodes.filter((episode) => episode.used).length
  if (episodes.some((episode) => episode.used === null)) return `Looked at ${count(episodes.length)}`
  return used === 0 ? `Looked at ${count(episodes.length)}, used none` : `Used ${count(used)}`
}

const count = (number: number) => (number === 1 ? '1 memory' : `${number} memories`)
