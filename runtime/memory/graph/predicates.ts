import { predicateKey } from './names.ts'

/** Other words for the same kind of fact. */
const meanings: Readonly<Record<string, string>> = {
  ...same(
    'lives_in',
    'live_in',
    'resides_in',
    'reside_in',
    'moved_to',
    'move_to',
    'living_in',
    'home',
    'residence',
  ),
  ...same(
    'works_at',
    'work_at',
    'works_for',
    'work_for',
    'employed_by',
    'is_employed_by',
    'joined',
    'join',
    'employer',
  ),
  ...same('married_to', 'is_married_to', 'marry', 'spouse', 'husband_of', 'wife_of'),
  ...same('based_in', 'is_based_in', 'headquartered_in', 'base_in'),
  ...same('reports_to', 'report_to', 'manager', 'managed_by'),
  ...same('has_status', 'status', 'status_is', 'is_in_state', 'state'),
  ...same('has_role', 'role', 'job_title', 'has_job_title', 'position', 'title', 'works_as', 'work_as'),
  ...same('due_on', 'deadline', 'due', 'has_deadline', 'is_due_on'),
  ...same('led_by', 'lead_by', 'leader', 'has_leader'),
  ...same('likes', 'like', 'love', 'loves', 'enjoys', 'enjoy'),
  ...same('prefers', 'prefer', 'favorite', 'favourite'),
  ...same('dislikes', 'dislike', 'hate', 'hates'),
  ...same('uses', 'use'),
  ...same('owns', 'own', 'has', 'have'),
  ...same('knows', 'know'),
  ...same('born_on', 'birthday', 'has_birthday', 'date_of_birth'),
}

/** Of these a subject has one at a time: a newer one ends the older. */
const exclusive: ReadonlySet<string> = new Set([
  'lives_in',
  'works_at',
  'married_to',
  'based_in',
  'reports_to',
  'has_status',
  'has_role',
  'due_on',
  'led_by',
  'born_on',
])

function same(meaning: string, ...words: string[]): Record<string, string> {
  return Object.fromEntries(words.map((word) => [word, meaning]))
}

/** The kind of a fact by the words for it; empty when there are none. */
export function predicateOf(words: string): string {
  const key = predicateKey(words)
  return Object.hasOwn(meanings, key) ? (meanings[key] ?? key) : key
}

export const isExclusive = (predicate: string): boolean => exclusive.has(predicate)
