/** Lower case, plain punctuation and digits. */
export function normalised(text: string): string {
  const plain = text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[‘’`´]/g, "'")
    .replace(/[“”„«»"]/g, ' ')
    .replace(/[‐-―]/g, '-')
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/(?<![.!?;,])[.!?;,]+$/, '')
  return (
    withDigits(corrected(plain))
      // Dates with dots have the day first.
      .replace(/\b(\d{1,2})\.(\d{1,2})\.(\d{4})\b/g, (_, date: string, month: string, year: string) =>
        [year, month.padStart(2, '0'), date.padStart(2, '0')].join('-'),
      )
      .replace(everyNth, '$1 $2 $3')
      .replace(/\s+/g, ' ')
      .trim()
  )
}

/** "every third day" */
const everyNth =
  /\b(every|each) (\d+)(?:st|nd|rd|th) (days?|weeks?|months?|hours?|minutes?|years?)\b(?! (?:of|in)\b)/g

const listOf = (words: string) => words.split(' ')
const units = listOf(
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen',
)
const tens = listOf('twenty thirty forty fifty sixty seventy eighty ninety')
const ordinals = listOf(
  'first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth',
)
const numbers = new Map([
  ...units.map((word, value) => [word, value] as const),
  ...tens.map((word, index) => [word, (index + 2) * 10] as const),
])

const longestFirst = [...numbers.keys()].sort((a, b) => b.length - a.length).join('|')
const compound = new RegExp(`\\b(${tens.join('|')})[- ](${units.slice(1, 10).join('|')})\\b`, 'g')
const single = new RegExp(`\\b(${longestFirst})\\b`, 'g')
/** "second" is also a unit of time: it is an ordinal only before something countable or another ordinal. */
const secondOfMany = new RegExp(
  '\\bsecond(?= (?:\\w+day|mon|tues?|wed|thu|thurs?|fri|sat|sun|weekend|day|week|hour|minute|month|of\\b|' +
    'and (?:the )?(?:third|fourth|last|[34])|(?:half|last)\\b)|,? ?(?:and )?(?:third|fourth)\\b)',
  'g',
)
const ordinal = new RegExp(`\\b(${ordinals.filter((word) => word !== 'second').join('|')})\\b`, 'g')

const suffixed = (value: number) =>
  `${value}${{ 1: 'st', 2: 'nd', 3: 'rd' }[value > 10 && value < 14 ? 0 : value % 10] ?? 'th'}`

/** Number words as digits: "twenty-five" → 25, "third" → 3rd, "half an hour" → 30 minutes. */
function withDigits(text: string): string {
  return text
    .replace(/\b(?:a )?quarter of an hour\b/g, '15 minutes')
    .replace(/\bhalf-? ?hourly\b/g, 'every 30 minutes')
    .replace(/\bhalf (?:an |a |)hour(?:ly)?\b|\bhalf-hour\b/g, '30 minutes')
    .replace(compound, (_, ten: string, unit: string) =>
      String((numbers.get(ten) ?? 0) + (numbers.get(unit) ?? 0)),
    )
    .replace(secondOfMany, '2nd')
    .replace(/(?<=\b(?:and|and the) )second\b(?! )/g, '2nd')
    .replace(ordinal, (word) => suffixed(ordinals.indexOf(word) + 1))
    .replace(single, (word) => String(numbers.get(word)))
    .replace(/\ba couple(?: of)?\b/g, '2')
    .replace(/\ba dozen\b/g, '12')
    .replace(/\bonce\b(?= (?:a|an|per|every|each)\b)/g, '1 times')
    .replace(/\btwice\b/g, '2 times')
    .replace(/\bthrice\b/g, '3 times')
    .replace(/\b(?:an? |1 )(hour|day|week) and a half\b/g, (_, unit: string) => oneAndHalf[unit] ?? '')
    .replace(/\b(\d+) and a half hours\b/g, (_, hours: string) => `${Number(hours) * 60 + 30} minutes`)
    .replace(/\b(\d+)[.,]5 (?:hours|hrs|h)\b/g, (_, hours: string) => `${Number(hours) * 60 + 30} minutes`)
}

const oneAndHalf: Record<string, string> = { hour: '90 minutes', day: '36 hours', week: '252 hours' }

const days = listOf('monday tuesday wednesday thursday friday saturday sunday weekday weekend')
/** Words that differ from a day in one letter and mean themselves. */
const exceptions = new Set(listOf('someday midday today payday weekly weekdays weekends'))

/** Corrects names of days with one letter wrong, missing, doubled or swapped. */
function corrected(text: string): string {
  return text.replace(/\p{L}{5,11}/gu, (word) => {
    if (exceptions.has(word)) return word
    const stem = word.endsWith('s') && !days.includes(word) ? word.slice(0, -1) : word
    const meant = days.find((day) => isOneEditAway(stem, day)) ?? days.find((day) => isOneEditAway(word, day))
    if (meant === undefined || days.includes(stem)) return word
    return stem !== word && isOneEditAway(stem, meant) ? `${meant}s` : meant
  })
}

function isOneEditAway(word: string, meant: string): boolean {
  if (word === meant) return false
  let start = 0
  while (start < word.length && word[start] === meant[start]) start += 1
  const [rest, wanted] = [word.slice(start), meant.slice(start)]
  if (rest.slice(1) === wanted || rest === wanted.slice(1) || rest.slice(1) === wanted.slice(1)) return true
  return rest[0] === wanted[1] && rest[1] === wanted[0] && rest.slice(2) === wanted.slice(2)
}
