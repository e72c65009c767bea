const known = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
  'weekday',
  'weekend',
]
/** Words that stand one letter from a day and mean themselves. */
const innocent = new Set(['someday', 'midday', 'today', 'payday', 'weekly', 'weekdays', 'weekends'])

/** Names of days with one letter wrong, missing, doubled or swapped, as they are meant. */
export function spelled(text: string): string {
  return text.replace(/\p{L}{5,11}/gu, (word) => {
    if (innocent.has(word)) return word
    const plural = word.endsWith('s') && !known.includes(word)
    const stem = plural ? word.slice(0, -1) : word
    const meant =
      known.find((day) => isOneEditAway(stem, day)) ?? known.find((day) => isOneEditAway(word, day))
    if (meant === undefined || known.includes(stem)) return word
    return plural && isOneEditAway(stem, meant) ? `${meant}s` : meant
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
