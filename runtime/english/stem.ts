/** Longer words are left unchanged, as in the index. */
const maxLength = 64

/** Each ending and its replacement; only the first ending that a word has counts. */
const pairsOf = (text: string): [ending: string, replacement: string][] =>
  text.split(/\s+/).map((pair) => {
    const [ending = '', replacement = ''] = pair.split('>')
    return [ending, replacement]
  })

const step2 = pairsOf(
  `ational>ate tional>tion enci>ence anci>ance izer>ize logi>log bli>ble alli>al entli>ent eli>e ousli>ous
  ization>ize ation>ate ator>ate alism>al iveness>ive fulness>ful ousness>ous aliti>al iviti>ive biliti>ble`,
)
const step3 = pairsOf('icate>ic ative> alize>al iciti>ic ical>ic ful> ness>')
const step4 = pairsOf(
  'al> ance> ence> er> ic> able> ible> ant> ement> ment> ent> sion>s tion>t ou> ism> ate> iti> ous> ive> ize>',
)

/** The form of a word that its English inflections share: Porter's algorithm, as FTS5 has it in its tokenizer `porter`. */
export function stem(word: string): string {
  if (word.length < 3 || word.length > maxLength) return word
  let text = yToI(withoutPast(withoutPlural(word)))
  text = replaceEnding(text, step2, 0)
  text = replaceEnding(text, step3, 0)
  text = replaceEnding(text, step4, 1)
  return withoutFinalL(withoutFinalE(text))
}

function withoutPlural(word: string): string {
  if (!word.endsWith('s') || word.endsWith('ss')) return word
  const two = (word.length > 4 && word.endsWith('sses')) || (word.length > 3 && word.endsWith('ies'))
  return word.slice(0, two ? -2 : -1)
}

function withoutPast(word: string): string {
  if (word.length > 3 && word.endsWith('eed'))
    return measureOf(word.slice(0, -3)) > 0 ? word.slice(0, -1) : word
  const ending = ['ed', 'ing'].find((one) => word.length > one.length && word.endsWith(one))
  const text = ending ? word.slice(0, -ending.length) : ''
  return hasVowel(text) ? repaired(text) : word
}

/** Restores what an ending replaced: hop(p)ing, fil(e)ing, conflat(e)ed. */
function repaired(text: string): string {
  if (text.length > 2 && /(?:at|bl|iz)$/.test(text)) return `${text}e`
  if (/([^aeioulsz])\1$/.test(text)) return text.slice(0, -1)
  return measureOf(text) === 1 && endsShort(text) ? `${text}e` : text
}

const yToI = (word: string): string =>
  word.endsWith('y') && hasVowel(word.slice(0, -1)) ? `${word.slice(0, -1)}i` : word

function replaceEnding(word: string, endings: readonly [string, string][], measure: number): string {
  for (const [ending, replacement] of endings) {
    if (word.length <= ending.length || !word.endsWith(ending)) continue
    const start = word.slice(0, -ending.length)
    return measureOf(start + (measure > 0 ? replacement : '')) > measure ? start + replacement : word
  }
  return word
}

function withoutFinalE(word: string): string {
  if (!word.endsWith('e')) return word
  const start = word.slice(0, -1)
  const measure = measureOf(start)
  return measure > 1 || (measure === 1 && !endsShort(start)) ? start : word
}

function withoutFinalL(word: string): string {
  const start = word.slice(0, -1)
  return word.endsWith('ll') && measureOf(start) > 1 ? start : word
}

function isConsonant(word: string, at: number): boolean {
  const letter = word[at] ?? ''
  if (letter !== 'y') return !'aeiou'.includes(letter)
  return at === 0 || !isConsonant(word, at - 1)
}

function hasVowel(word: string): boolean {
  for (let at = 0; at < word.length; at += 1) if (!isConsonant(word, at)) return true
  return false
}

/** How often a consonant follows a vowel. */
function measureOf(word: string): number {
  let count = 0
  for (let at = 1; at < word.length; at += 1)
    if (isConsonant(word, at) && !isConsonant(word, at - 1)) count += 1
  return count
}

/** Consonant, vowel, consonant other than w, x and y. */
function endsShort(word: string): boolean {
  const at = word.length - 1
  return (
    at >= 2 &&
    isConsonant(word, at) &&
    !isConsonant(word, at - 1) &&
    isConsonant(word, at - 2) &&
    !/[wxy]$/.test(word)
  )
}
