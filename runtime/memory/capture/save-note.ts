import type { Context } from '../../context.ts'
import { redact } from '../../secrets/redact.ts'
import { readSection } from '../../settings/section.ts'
import { addEpisode, type Origin } from '../episodes.ts'
import type { NewEpisode } from '../schema.ts'
import { memorySettings } from '../settings.ts'
import { countAccess } from '../store.ts'
import { patternsOf } from './patterns.ts'
import { findTwin } from './twin.ts'

/**
 * Keeps what an agent or another program wants kept, by the rules of the capture: secrets are blanked, and what says
 * the same as a stored episode counts as another look at that one. Answers the id of the episode that holds it.
 */
export async function saveNote(context: Context, note: NewEpisode & Origin): Promise<string> {
  const { redact_secrets, dedupe_threshold } = await readSection(context, memorySettings)
  const patterns = redact_secrets ? await patternsOf(context) : []
  const content = redact_secrets ? redact(note.content, patterns) : note.content
  const twin = await findTwin(context, { ...note, content }, dedupe_threshold)
  if (twin === null) return (await addEpisode(context, { ...note, content })).id
  await context.commit([countAccess([twin])])
  return twin
}
