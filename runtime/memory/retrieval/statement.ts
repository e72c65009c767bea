const asking =
  /^(?:(?:and|so|but|ok|okay|hey|hi|please|well)[,\s]+)*(?:can|could|would|do) you (?:please )?(?:tell me|remember|recall|remind me(?: of)?|know)[,\s]+/i
const wh =
  /^(?:(?:in|on|at|for|from|to|with|by|about|of|since|until) )?(?:what(?:'s| is| are| was| were)?|when|where|who|whom|whose|which|why|how(?: (?:much|many|long|often|old|far|come|did it))?)\b/i
const auxiliary =
  /^(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|might|may|must)(?:n't)?\b/i
const kinds = /^(?:kind|type|sort|name)s? of\b/i

/** Whether the text asks something, by its mark or by its first words. */
export const isQuestion = (text: string): boolean => {
  const trimmed = text.trim()
  return trimmed.endsWith('?') || wh.test(trimmed) || auxiliary.test(trimmed)
}

/**
 * A question as the statement that would answer it, as far as leaving words out can do it: an embedder that was not
 * taught questions finds a question near to other questions, and a statement near to statements.
 */
export function statementOf(question: string): string {
  let text = question.trim().replace(/[?\s]+$/u, '')
  for (const pattern of [asking, wh, auxiliary, kinds]) text = text.replace(pattern, '').trim()
  return text === '' ? question.trim() : text
}

const when =
  /\bwhen\b|\b(?:what|which) (?:date|day|month|year|time|week|season)\b|\bhow (?:long ago|recently)\b/i

export const asksWhen = (text: string): boolean => when.test(text)

const moment = new RegExp(
  [
    'january|february|march|april|june|july|august|september|october|november|december',
    'jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec',
    '(?:mon|tues|wednes|thurs|fri|satur|sun)day',
    'yesterday|today|tonight|tomorrow|ago|recently|weekend|birthday|anniversary|christmas|easter|halloween',
    '(?:last|next|this|past|coming|previous|following|every) (?:year|month|week|night|spring|summer|autumn|fall|winter|time|few)',
    '(?:19|20)\\d\\d|\\d{1,2}(?:st|nd|rd|th)|\\d{1,2}[/.]\\d{1,2}|in may|may \\d',
    'the other day|(?:a|one|two|three|four|five|six|\\d+) (?:day|week|month|year)s?',
  ]
    .map((part) => `(?:${part})`)
    .join('|')
    .replace(/^/, '\\b(?:')
    .concat(')\\b'),
  'i',
)

/** Whether the text names a time. */
export const namesMoment = (text: string): boolean => moment.test(text)

/** Questions about nothing in particular. What their vectors share is the asking, which no answer has. */
export const genericQuestions: readonly string[] = [
  'What did she do?',
  'What does he like?',
  'What is their favourite thing?',
  'When did it happen?',
  'When is he going there?',
  'Where did they go?',
  'Where does she live?',
  'Who did he meet?',
  'Who is she?',
  'Why did they do that?',
  'Why does he want it?',
  'How did she feel about it?',
  'How many does he have?',
  'How long has she been doing this?',
  'How often do they meet?',
  'Which one did he choose?',
  'What kind of thing did she buy?',
  'What are his plans?',
  'What was the name of it?',
  'What did they talk about?',
  'What happened last week?',
  'Did she say anything?',
  'Is he going to do it?',
  'Has she ever been there?',
]
