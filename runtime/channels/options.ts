import { type Message, questionIn } from '../chat/index.ts'
import { optionLines } from '../tools/ask-user.ts'
import type { InboundText } from './message-store.ts'
import type { Button } from './platform.ts'

/** The shortest label that all platforms show in full. */
const maxLabel = 20

/** The options of a question as buttons. Where a label is too long, the text keeps the list and the labels their numbers. */
export function withOptions(
  text: string,
  { turn, options }: { turn: string; options: readonly string[] },
): { markdown: string; buttons: Button[] } {
  const isShort = options.every((option) => option.length <= maxLabel)
  const list = optionLines(options).join('\n')
  const markdown = isShort && list !== '' && text.endsWith(list) ? text.slice(0, -list.length).trim() : text
  const buttons = options.map((option, index): Button => {
    const label = isShort ? option : `${index + 1}. ${option}`
    return { label, value: `choose ${turn} ${index + 1}`, style: 'default' }
  })
  return { markdown, buttons }
}

/**
 * What a message chooses from the options of the agent's last answer: by a button, or by its number. `outdated` for a button
 * of an earlier question; null if it chooses nothing. Pure.
 */
export function chosenOption(
  { kind, text, value }: Pick<InboundText, 'kind' | 'text' | 'value'>,
  last: Message | null,
): string | 'outdated' | null {
  const [, turn, number] = /^choose (\w+) (\d{1,2})$/.exec((kind === 'button' && value) || '') ?? []
  const question = last?.role === 'assistant' && last.status === 'complete' ? questionIn(last) : null
  const isAbout = turn === undefined || turn === last?.id
  const index = number ?? (kind === 'message' ? /^(\d{1,2})[.)]?$/.exec(text.trim())?.[1] : undefined)
  const option = isAbout && index !== undefined ? question?.options[Number(index) - 1] : undefined
  return option ?? (turn === undefined ? null : 'outdated')
}
