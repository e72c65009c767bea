import { profile } from './profile.ts'
import type { Section } from './section.ts'

/** The only list of sections. */
export const sections: readonly Section[] = [profile]
