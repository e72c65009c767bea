/** A text of about `length` characters. */
export type TextOf = (length: number) => string

const repeated =
  (unit: string, end = ''): TextOf =>
  (length) =>
    unit.repeat(Math.max(1, Math.floor((length - end.length) / unit.length))) + end

/** Numbered words: each is another one. */
const numbered =
  (prefix: string, joint: string): TextOf =>
  (length) => {
    let text = ''
    for (let count = 1; text.length < length - prefix.length - 8; count += 1) text += `${prefix}${count}${joint}`
    return text
  }

/** Compounds of one word, each longer than the one before: `1-1 1-1-1 1-1-1-1`. */
const ladder =
  (word: string, joint: string): TextOf =>
  (length) => {
    let text = ''
    for (let count = 2; text.length < length - 40; count = count === 16 ? 2 : count + 1)
      text += `${Array(count).fill(word).join(joint)} `
    return text
  }

export interface Pair {
  name: string
  stored: TextOf
  asked: TextOf
}

const units = [
  ...['a', '1', 'tea', 'é', '日', 'ก', '한', '😀', 'я', '.', '%', '"'],
  ...['1-', '1 ', 'a.', 'a ', 'tea ', 'tea-', 'Ana ', 'x1-', 'a\n', '10.0.0.1 ', '::1 '],
  ...['a@b.c ', 'C++ ', '.NET ', '日 ', '日-', 'яя-', 'the ', 'not ', 'NEAR '],
]

/** What an attacker stores, and what is searched for in it. */
export const pairs: readonly Pair[] = [
  ...units.map((unit) => ({ name: JSON.stringify(unit), stored: repeated(unit), asked: repeated(unit) })),
  ...['a', '日', '1-', 'tea '].map((unit) => ({
    name: `${JSON.stringify(unit)}…b`,
    stored: repeated(unit),
    asked: repeated(unit, 'b'),
  })),
  ...['1', 'tea'].flatMap((word) => [
    {
      name: `${word}-${word} ${word}-${word}-${word}`,
      stored: repeated(`${word}-`),
      asked: ladder(word, '-'),
    },
    { name: `${word}.${word} in words`, stored: repeated(`${word} `), asked: ladder(word, '.') },
  ]),
  ...[' ', '-', '.'].map((joint) => ({
    name: `w1${joint}w2${joint}w3`,
    stored: numbered('w', joint),
    asked: numbered('w', joint),
  })),
]
