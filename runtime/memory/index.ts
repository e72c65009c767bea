/** The door of memory: what its neighbours may use. */

// Saving a note as an agent does.
export { saveNote } from './capture/notes.ts'
// Changing the settings of memory.
export { changeMemorySettings } from './change-settings.ts'
// Storing an episode.
export { addEpisode } from './episodes.ts'
// Memory as a file, in and out.
export { decodeText, exportMemory, importLimit, importMemory } from './maintenance/export.ts'
// Deleting everything that is remembered.
export { clearMemory } from './maintenance/wipe.ts'
// The wire format of episodes.
export { ImportResult, NewEpisode } from './schema.ts'
// Searching episodes.
export { searchEpisodes } from './search/search.ts'
// How close two vectors are.
export { cosine } from './search/vector-codes.ts'
// The settings of memory.
export { memorySettings } from './settings.ts'
// Counts for diagnostics.
export { memoryOverview, probeIndex } from './store.ts'
