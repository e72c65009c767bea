import type { SaidText } from '../../ports/reader.ts'
import type { Reading } from './facts.ts'
import type { Named } from './mentions.ts'
import { readOffline } from './read-offline.ts'

/** For readers: the names in one text, by rules. It computes for milliseconds without a pause. */
export async function namesIn(text: string): Promise<Named[]> {
  const { extractEntities } = await import('../../models/offline/extract.ts')
  return extractEntities(text)
}

/** For readers: what one text says, by rules. It computes for milliseconds without a pause. */
export const factsIn = (text: SaidText): Promise<Reading> => readOffline(text)
