import texts from './archetypes.json' with { type: 'json' }
import type { Archetype } from './schema.ts'

/** Experts to start an agent from. Their prompts say what good work looks like in their field. */
export const archetypes = texts as readonly Archetype[]

export const findArchetype = (id: string): Archetype | undefined => archetypes.find((archetype) => archetype.id === id)
