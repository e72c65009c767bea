/** Maximum length of a name in characters. Anything longer is a sentence. */
export const nameLimit = 120

/** A name for display: one line without control characters, possessive ending or surrounding punctuation; may be empty. */
export function cleanName(text: string): string {
  return text
    .toWellFormed()
    .normalize('NFC')
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .replace(/^[\s"'“”‘’([{]+|(?<![\s"“”‘’)\]}.,;:!?])[\s"“”‘’)\]}.,;:!?]+$/gu, '')
    .replace(/['’]s?$/u, '')
    .slice(0, nameLimit)
    .toWellFormed()
    .trim()
}

/** The key of a name, equal for all its spellings: case, accents, possessive and spacing do not matter. */
export function nameKey(name: string): string {
  const plain = cleanName(name).normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  return plain.replace(/[\s_-]+/gu, ' ').trim()
}

/** A predicate in snake case: `Works for` → `works_for`. */
const predicateKey = (text: string): string =>
  nameKey(text)
    .replace(/[^\p{L}\p{N}]+/gu, '_')
    .replace(/^_+|_+$/g, '')
    .slice(0, 60)

/** Synonyms of predicates. */
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

/** Predicates with one value at a time: a newer fact ends the older one. */
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

/** The canonical predicate for a phrase; empty for an empty phrase. */
export function predicateOf(words: string): string {
  const key = predicateKey(words)
  return Object.hasOwn(meanings, key) ? (meanings[key] ?? key) : key
}

export const isExclusive = (predicate: string): boolean => exclusive.has(predicate)
