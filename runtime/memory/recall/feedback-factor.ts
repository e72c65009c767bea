import type { Feedback } from './store.ts'

/** Most that use and disuse together move a score, either way: as much as age and importance. */
const sway = 0.1
/** So many recalls without an answer are assumed beforehand, so that one alone says little. */
const doubt = 4

/** What a score is multiplied by: above 1 for what answers rest on, below for what they pass over. */
export const feedbackFactor = ({ used, ignored }: Pick<Feedback, 'used' | 'ignored'>): number =>
  1 + (sway * (used - ignored)) / (used + ignored + doubt)
