const small =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  )
const tens = ['twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety']
const ordinals =
  'first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth'.split(
    ' ',
  )

const numberOf = new Map([
  ...small.map((word, value): [string, number] => [word, value]),
  ...tens.map((word, index): [string, number] => [word, (index + 2) * 10]),
])

const words = [...numberOf.keys()].sort((a, b) => b.length - a.length).join('|')
const compound = new RegExp(`\\b(${tens.join('|')})[- ](${small.slice(1, 10).join('|')})\\b`, 'g')
const single = new RegExp(`\\b(${words})\\b`, 'g')
/** "second" is a unit of time too: an ordinal only where something follows that can be counted, or another ordinal. */
const secondOfMany =
  /\bsecond(?= (?:\w+day|mon|tues?|wed|thu|thurs?|fri|sat|sun|weekend|day|week|hour|minute|month|of\b|and (?:the )?(?:third|fourth|last|[34])|(?:half|last)\b)|,? ?(?:and )?(?:third|fourth)\b)/g
const ordinal = new RegExp(`\\b(${ordinals.filter((word) => word !== 'second').join('|')})\\b`, 'g')

const suffixed = (value: number) =>
  `${value}${{ 1: 'st', 2: 'nd', 3: 'rd' }[value > 10 && value < 14 ? 0 : value % 10] ?? 'th'}`

/** Number words as digits: "twenty-five" → 25, "third" → 3rd, "half an hour" → 30 minutes. */
export function digits(text: string): string {
  return text
    .replace(/\b(?:a )?quarter of an hour\b/g, '15 minutes')
    .replace(/\bhalf-? ?hourly\b/g, 'every 30 minutes')
    .replace(/\bhalf (?:an |a |)hour(?:ly)?\b|\bhalf-hour\b/g, '30 minutes')
    .replace(compound, (_, ten: string, one: string) =>
      String((numberOf.get(ten) ?? 0) + (numberOf.get(one) ?? 0)),
    )
    .replace(secondOfMany, '2nd')
    .replace(/(?<=\b(?:and|and the) )second\b(?! )/g, '2nd')
    .replace(ordinal, (word) => suffixed(ordinals.indexOf(word) + 1))
    .replace(single, (word) => String(numberOf.get(word)))
    .replace(/\ba couple(?: of)?\b/g, '2')
    .replace(/\ba dozen\b/g, '12')
    .replace(/\bonce\b(?= (?:a|an|per|every|each)\b)/g, '1 times')
    .replace(/\btwice\b/g, '2 times')
    .replace(/\bthrice\b/g, '3 times')
    .replace(/\b(?:an? |1 )(hour|day|week) and a half\b/g, (_, unit: string) => oneAndHalf(unit))
    .replace(/\b(\d+) and a half hours\b/g, (_, hours: string) => `${Number(hours) * 60 + 30} minutes`)
    .replace(/\b(\d+)[.,]5 (?:hours|hrs|h)\b/g, (_, hours: string) => `${Number(hours) * 60 + 30} minutes`)
}

const oneAndHalf = (unit: string) => ({ hour: '90 minutes', day: '36 hours', week: '252 hours' })[unit] ?? ''
